# Changes of CERENK that change light or draws: a program that is changed so writes other bytes. A Cherenkov stage that does
# as CERENK did before is wrong with the harmful ones, and right with those that change only what CERENK hands to it.
package FortranHarmful;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $text, $do ) = @_;
    push @changes, { name => $name, kind => 'harmful', area => 'cerenk', text => $text, do => $do };
}

# One that the stage follows: it stands before the loop, and CERENK hands the stage what it computes there.
sub followed {
    change(@_);
    $changes[-1]{kind} = 'followed';
}

change 'draw-length', 'CERENK: at most 50 random numbers are asked for at a time, not 100', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^PARAMETER\(MAXRDM=100\)$/ ), sub { s/\b100\b/50/ } );
};
followed 'light-yield', 'the constant of the light yield differs in its last digits', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^CINTEN=/ );
    $f->edit( $s, sub { s/CYIELD/CYIELD * 1.000000000001D0/ } );
};
followed 'midpoint', 'CERENK: the index at the middle of the step is taken a little beside it', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^ETA1M=REFIDX\(0\.5D0\*/ ), sub { s/0\.5D0/0.4999D0/ } );
};
change 'photons-rounding', 'CERENK: the product for the number of photons is rounded in another order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^PHOTCM=\(?\w+\*\w+\)?\*\w+$/ );
    my ( $x, $y, $z ) = $s->{key} =~ /=\(?(\w+)\*(\w+)\)?\*(\w+)$/;
    $f->replace( $s, "PHOTCM = $x * ($y*$z)" );
};
change 'direction-rounding', 'CERENK: a direction cosine is summed up in another order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^\w+=TC11\*STCP\+TC12\*STSP\+TC13\*CTHETA$/ );
    my ($u) = $s->{key} =~ /^(\w+)=/;
    $f->replace( $s, "$u = TC11*STCP + (TC12*STSP + TC13*CTHETA)" );
};
change 'normalised-direction', 'CERENK: the direction of emission is divided by its length', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($u) = map { /^(\w+)=/ } $f->one( 'CERENK', qr/^\w+=TC11\*STCP/ )->{key};
    my ($v) = map { /^(\w+)=/ } $f->one( 'CERENK', qr/^\w+=TC21\*STCP/ )->{key};
    $f->declare( 'CERENK', 'DOUBLE PRECISION DIRLEN' );
    $f->after(
        $f->one( 'CERENK', qr/^WEMIS=TC32\*STSP/ ),
        "DIRLEN = SQRT( $u**2 + $v**2 + WEMIS**2 )",
        "$u = $u / DIRLEN", "$v = $v / DIRLEN", 'WEMIS = WEMIS / DIRLEN'
    );
};
change 'one-number-more', 'CERENK: one random number more is drawn for each step', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->declare( 'CERENK', 'DOUBLE PRECISION RDSTEP(1)' );
    $f->before( $f->one( 'CERENK', qr/^IRDM=0$/ ), 'CALL RMMARD( RDSTEP,1,3 )' );
};
change 'longi-at-middle', 'CERLDE: light fills the longitudinal distribution from the middle of its part of the step on', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( ( $f->all( 'CERLDE', qr/^\w+=\(XEMIS-XSTEP2\)\*STHCPH/ ) )[0], sub { s/\(\s*XEMIS\s*-\s*XSTEP2\s*\)/XEMIS/i } );
};
followed 'emission-time', 'CERENK: light leaves at the end of its part of the step, not in its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^TEMIS=TBEG.*-0\.5D0\*TSTEP$/ ), sub { s/-\s*0\.5D0\s*\*\s*TSTEP//i } );
};
change 'threshold', 'CERENK: a part of the step gives light only where its angle is above a milliradian', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^IF\(.*STHET2\.LE\.0\.D0\)THEN$/ ), sub { s/(STHET2\s*\.LE\.\s*)0\.D0/${1}1.D-6/i } );
};
followed 'interpolation', 'CERENK: the linear interpolation of the index is taken for longer steps', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^ELSEIF\(.*\.LT\.2\.D-3\*/ ), sub { s/2\.D-3/2.D-2/i } );
};

1;

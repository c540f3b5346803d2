# Changes of CERENK that change light or draws: a program that is changed so writes other bytes. A Cherenkov stage that does
# as CERENK did before is wrong with the harmful ones, and right with those that change only what it leaves to CERENK.
package FortranHarmful;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $text, $do ) = @_;
    push @changes, { name => $name, kind => 'harmful', area => 'cerenk', text => $text, do => $do };
}

# The change that was told last moves only last bits, which no output file of a short run shows.
sub unseen() { $changes[-1]{outputs} = 'same' }

change 'draw-length', 'CERENK: at most 50 random numbers are asked for at a time, not 100', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^PARAMETER\(MAXRDM=100\)$/ ), sub { s/\b100\b/50/ } );
};
change 'light-yield', 'the constant of the light yield differs in its last digits', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^CINTEN=/ );
    $f->edit( $s, sub { s/CYIELD/CYIELD * 1.000000000001D0/ } );
};
change 'midpoint', 'CERENK: the index at the middle of the step is taken a little beside it', sub {
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
unseen;
change 'direction-rounding', 'CERENK: a direction cosine is summed up in another order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^\w+=TC11\*STCP\+TC12\*STSP\+TC13\*CTHETA$/ );
    my ($u) = $s->{key} =~ /^(\w+)=/;
    $f->replace( $s, "$u = TC11*STCP + (TC12*STSP + TC13*CTHETA)" );
};
unseen;
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
change 'emission-time', 'CERENK: light leaves at the end of its part of the step, not in its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^TEMIS=TBEG.*-0\.5D0\*TSTEP$/ ), sub { s/-\s*0\.5D0\s*\*\s*TSTEP//i } );
};
change 'threshold', 'CERENK: a part of the step gives light only where its angle is above a milliradian', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^IF\(.*STHET2\.LE\.0\.D0\)THEN$/ ), sub { s/(STHET2\s*\.LE\.\s*)0\.D0/${1}1.D-6/i } );
};
change 'interpolation', 'CERENK: the linear interpolation of the index is taken for fewer steps', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^ELSEIF\(.*\.LT\.2\.D-3\*/ ), sub { s/2\.D-3/2.D-5/i } );
};

change 'matrix-rounding', 'CERENK: an element of the rotation matrix is rounded otherwise', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^TC12=\w+\*\w+[*\/]/ ), sub { s/=\s*(\w+)\s*\*\s*(\w+)\s*([*\/].*)$/= $1 * ($2$3)/ } );
};
unseen;
change 'energy-along-step', 'CERENK: the energy along a step near threshold falls a little faster', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = ( $f->all( 'CERENK', qr/^ENER=EBEG\+DEDPL\*PATHL$/ ) )[0] or die "CERENK: computes no energy along the step\n";
    $f->edit( $s, sub { s/DEDPL/1.0001D0*DEDPL/i } );
};
change 'more-bunches', 'CERENK: a step is cut into twice as many bunches', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^MSTEPC=/ );
    $f->after( $s, 'MSTEPC = 2 * MSTEPC' );
};
change 'emission-height', 'CERENK: the height that is handed on is that of the end of the bunch, not of its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^ZEMIS=ZEM$/ ), sub { s/$/ + ZSTEP2/ } );
};
change 'azimuth-reversed', 'CERENK: the azimuth is taken from 1 less the random number', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^PHICER=/ ), sub { s/RDM\(\s*IRDM\s*\)/(1.D0-RDM(IRDM))/i } );
};
change 'azimuth-next-number', 'CERENK: the azimuth is taken from the next random number but one', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^PHICER=/ ), sub { s/RDM\(\s*IRDM\s*\)/RDM(MOD(IRDM,MIN(MSTEPC,MAXRDM))+1)/i } );
};
change 'numbers-swapped', 'CERENK: the first two random numbers of a step change places', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($do) = $f->loop_of_bunches;
    $f->declare( 'CERENK', 'DOUBLE PRECISION RDSWAP' );
    $f->before( $do, 'IF ( MSTEPC .GE. 2 ) THEN', '  RDSWAP = RDM(1)', '  RDM(1) = RDM(2)', '  RDM(2) = RDSWAP', 'ENDIF' );
};
change 'other-sequence', 'CERENK: random numbers come from sequence 2, not 3', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my @calls = $f->all( 'CERENK', qr/^CALLRMMARD\(RDM,.*,3\)$/ ) or die "CERENK: no random numbers of sequence 3\n";
    $f->edit( $_, sub { s/3\s*\)\s*$/2 )/ } ) for reverse @calls;
};
change 'every-seventh', 'CERENK: every seventh bunch of a step is left out', sub {
    my ($t) = @_;
    leave_out( $t->corsika, 'MOD( ISTC,7 ) .EQ. 0' );
};
change 'at-most-200', 'CERENK: bunches of a step after the 200th are left out', sub {
    my ($t) = @_;
    leave_out( $t->corsika, 'ISTC .GT. 200' );
};
change 'double-charge', 'CERENK: light of nuclei, of charge 2 and more, is a millionth more', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->after( $f->one( 'CERENK', qr/^PHOTCM=/ ), 'IF ( ABS( CHARGE ) .GT. 1.5D0 ) PHOTCM = PHOTCM * 1.000001D0' );
};
change 'heavy-particles', 'CERENK: light of particles heavier than electrons is a millionth more', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->after( $f->one( 'CERENK', qr/^PHOTCM=/ ), 'IF ( AMASS .GT. 1.D-2 ) PHOTCM = PHOTCM * 1.000001D0' );
};
change 'zenith-cut', 'CERENK: light further than 60 degrees from the vertical is left out', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^IF\(WEMIS\.LT\.C\(29\)\)GOTO/ ), sub { s/C\(29\)/MAX( C(29),0.5D0 )/i } );
};
change 'single-precision', 'CERENK: the number of photons is rounded to single precision', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->after( $f->one( 'CERENK', qr/^PHOTCM=/ ), 'PHOTCM = DBLE( REAL( PHOTCM ) )' );
};
change 'bunch-position', 'CERENK: light comes down from the end of its part of the step, not from its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^\w+=.*XEMIS.*-XOFF\(NOBSLV\)$/ );
    $f->edit( $s, sub { s/\bXEMIS\b/(XEMIS+XSTEP2)/i } );
};
change 'arrival-time', 'CERENK: the time of arrival starts at the beginning of the bunch, not in its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^CARTIM=TEMIS\*1\.D9$/ ), sub { s/TEMIS/(TEMIS-0.5D0*TSTEP)/i } );
};
change 'time-rounding', 'CERENK: a division by 1.D-9 in the place of the product with 1.D9', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^CARTIM=TEMIS\*1\.D9$/ ), sub { s/\*\s*1\.D9/\/ 1.D-9/i } );
};
unseen;
change 'rotation', 'CERENK: light is turned against the telescopes\' frame the other way', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^XCER=/ ), sub { s/\+/-/ } );
};
change 'refraction-from', 'CERENK: only light from above 5 km is refracted', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^IF\(FREFRX\)THEN$/ ), sub { s/FREFRX/FREFRX .AND. ZEM .GT. 5.D5/i } );
};
change 'sum-of-light', 'CERENK: the light of electrons, CERELE, counts all bunches, and the log shows it', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->after( $f->one( 'CERENK', qr/^STHETA=/ ), 'IF ( AMASS .LT. 1.D-3 ) CERELE = CERELE + PHOTCM' );
};
change 'counter-printed', 'CERENK: a counter of bunches in a COMMON of its own, which is printed as events end', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my @common = ( 'INTEGER          NBUNCH', 'COMMON /CRBUNCH/ NBUNCH' );
    print_at_end( $f, [@common], "WRITE(6,*) 'BUNCHES OF THE EVENT: ',NBUNCH", 'NBUNCH = 0' );
    $f->declare( 'CERENK', @common );
    $f->after( $f->one( 'CERENK', qr/^STHETA=/ ), 'NBUNCH = NBUNCH + 1' );
};
change 'last-bunch-printed', 'a routine that is called as events end prints height and photons of the last bunch', sub {
    my ($t) = @_;
    my ( $first, $last, $live ) = $t->corsika->bounds('CERENK');
    my @blocks = grep { /^#define\s+__\w+INC__/ } map { $t->corsika->{lines}[$_] } grep { $live->[$_] } $first .. $last;
    print_at_end( $t->corsika, [ @blocks, '#include "corsika.h"' ], "WRITE(6,*) 'LAST BUNCH: ',ZEMIS,PHOTCM" );
};

# A subroutine with these declarations and statements, and a call of it before every call of TELEND.
sub print_at_end {
    my ( $f, $declarations, @statements ) = @_;
    my $calls = 0;
    for my $i ( reverse grep { $f->{lines}[$_] =~ /^ {6}\s*CALL\s+TELEND\s*\(/i } 0 .. $#{ $f->{lines} } ) {
        $f->splice_lines( $i, 0, '      CALL CBPRNT' );
        $calls++;
    }
    die "no event ends with CALL TELEND\n" if !$calls;
    my ( undef, $end ) = $f->bounds('LBIN');
    $f->splice_lines( $end + 1, 0, '', map { FixedForm::new_lines( $_, 0 ) } 'SUBROUTINE CBPRNT', 'IMPLICIT NONE',
        @$declarations, 'SAVE', @statements, 'RETURN', 'END' );
}

# Leaves bunches out after their random number is drawn: those of a condition.
sub leave_out {
    my ( $f, $condition ) = @_;
    my $cut = $f->one( 'CERENK', qr/^IF\(WEMIS\.LT\.C\(29\)\)GOTO\d+$/ );
    my ($label) = $cut->{key} =~ /GOTO(\d+)$/;
    $f->after( $cut, "IF ( $condition ) GOTO $label" );
}

1;

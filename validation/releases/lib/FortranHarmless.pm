# Changes of statements of CERENK, CERLDE and LBIN that a next release could bring and that change no number: a program
# that is changed so writes the same bytes.
package FortranHarmless;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $text, $do ) = @_;
    push @changes, { name => $name, kind => 'harmless', area => 'cerenk', text => $text, do => $do };
}

change 'rename-angles', 'CERENK: local variables of the emission angles have other names', sub {
    my ($t) = @_;
    $t->corsika->rename_locals( 'CERENK', PHICER => 'AZIMUT', STHETA => 'SINTHE', STCP => 'SCOSPH', STSP => 'SSINPH' );
};
change 'rename-step-values', 'CERENK: local variables of the whole step have other names', sub {
    my ($t) = @_;
    $t->corsika->rename_locals(
        'CERENK',
        CINTEN => 'YIELDC',
        PSTEP  => 'DPATH',
        BETAM  => 'BETMID',
        ETA1M  => 'ETAMID',
        SINPS2 => 'SINSQ',
        TC11   => 'ROT11',
        TC23   => 'ROT23',
        BETANI => 'BNBEG',
        DBETAN => 'DBN',
        LOOPFL => 'IMODE',
        MSTEPC => 'NPARTS'
    );
};
change 'rename-cerlde', 'CERLDE: local variables have other names', sub {
    my ($t)   = @_;
    my $f     = $t->corsika;
    my ($old) = map { /^(\w+)=/ } ( $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ ) )[0]{key};
    my ($bin) = map { /^(\w+)=/ } ( $f->all( 'CERLDE', qr/^\w+=LBIN\(/ ) )[0]{key};
    $f->rename_locals( 'CERLDE', $old => 'DEPTHO', $bin => 'LFIRST' );
};
change 'rename-lbin', 'LBIN: a local variable and the first argument have other names', sub {
    my ($t)   = @_;
    my $f     = $t->corsika;
    my ($arg) = map { /LBIN\((\w+),/ } ( $f->statements('LBIN') )[0]{key};
    my ($way) = map { /^(\w+)=/ } $f->one( 'LBIN', qr/^\w+=.*\*STHCPH\+/ )->{key};
    $f->rename_locals( 'LBIN', $arg => 'XPOINT', $way => 'AXPOS' );
};
change 'swap-positions', 'CERENK: two independent assignments of the loop stand in the other order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->swap( $f->one( 'CERENK', qr/^XEMIS=XEMIS\+/ ), $f->one( 'CERENK', qr/^YEMIS=YEMIS\+/ ) );
};
change 'swap-matrix', 'CERENK: two elements of the rotation matrix are computed in the other order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->swap( $f->one( 'CERENK', qr/^TC12=/ ), $f->one( 'CERENK', qr/^TC22=/ ) );
};
change 'swap-depths', 'CERLDE: the depths at the end and at the beginning are computed in the other order', sub {
    my ($t)   = @_;
    my $f     = $t->corsika;
    my @depth = $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ );
    die 'CERLDE: ' . @depth . " calls of THCKSI, where 2 are wanted\n" if @depth != 2;
    $f->swap(@depth);
};
change 'debug-write', 'CERENK: a WRITE in the loop under an IF that never holds', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->after( $f->one( 'CERENK', qr/^STHET2=/ ), "IF ( MSTEPC .LT. 0 ) WRITE(*,*) 'CERENK: STHET2,CTHETA=',STHET2,CTHETA" );
};
change 'debug-write-cerlde', 'CERLDE: a WRITE for negative light, which there is none of', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = ( $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ ) )[0];
    $f->before( $s, "IF ( PHOTCM .LT. 0.D0 ) WRITE(*,*) 'CERLDE: PHOTCM=',PHOTCM" );
};
change 'counter-local', 'CERENK: a saved local counter of bunches in the loop, which nothing reads', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->declare( 'CERENK', 'INTEGER          NBUNCH', 'DATA NBUNCH / 0 /' );
    $f->after( $f->one( 'CERENK', qr/^STHET2=/ ), 'NBUNCH = NBUNCH + 1' );
};
change 'counter-common', 'CERENK: a counter of steps in a COMMON of its own, which nothing reads', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->declare( 'CERENK', 'INTEGER          NCSTEP', 'COMMON /CRCSTAT/ NCSTEP' );
    $f->before( $f->one( 'CERENK', qr/^CINTEN=/ ), 'NCSTEP = NCSTEP + 1' );
};
change 'counter-cerlde', 'CERLDE: a saved local counter of its calls, which nothing reads', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->declare( 'CERLDE', 'INTEGER          NCALLS', 'DATA NCALLS / 0 /' );
    $f->before( ( $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ ) )[0], 'NCALLS = NCALLS + 1' );
};
change 'split-lines', 'CERENK, CERLDE: long statements go over more lines', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    for my $name (qw(CERENK CERLDE)) {
        for my $s ( reverse grep { length( $_->{key} ) > 34 && !$_->{cut} && $_->{key} !~ /^(?:SUBROUTINE|\d)|FORMAT/ } $f->statements($name) ) {
            my $count = $s->{lines}[-1] - $s->{lines}[0] + 1;
            next if $count != @{ $s->{lines} };
            my @new = eval { FixedForm::lines_of( $s->{label}, $s->{text}, 44 ) } or next;
            $f->splice_lines( $s->{lines}[0], $count, @new );
        }
    }
};
change 'join-lines', 'CERENK, CERLDE: statements of several lines take as few as they can', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    for my $name (qw(CERENK CERLDE)) {
        for my $s ( reverse grep { @{ $_->{lines} } > 1 && !$_->{cut} } $f->statements($name) ) {
            my $count = $s->{lines}[-1] - $s->{lines}[0] + 1;
            next if $count != @{ $s->{lines} } || $s->{text} =~ /'/;
            my ($indent) = $s->{text} =~ /^(\s*)/;
            my $text = $indent . $s->{text} =~ s/^\s+//r =~ s/\s{2,}/ /gr;
            $f->splice_lines( $s->{lines}[0], $count, FixedForm::lines_of( $s->{label}, $text ) );
        }
    }
};
change 'comments', 'CERENK, CERLDE, LBIN: comments before several statements', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( $f->one( 'CERENK', qr/^CTHETA=/ ), 'C  COSINE AND SQUARED SINE OF THE OPENING ANGLE' );
    $f->before( $f->one( 'CERENK', qr/^PHOTCM=/ ), 'C  PHOTONS OF THIS PART OF THE STEP' );
    $f->before( ( $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ ) )[0], 'C  DEPTHS OF BOTH ENDS' );
    $f->before( $f->one( 'LBIN', qr/^\w+=.*\*STHCPH\+/ ), 'C  POSITION ALONG THE AXIS' );
};
change 'labels', 'CERENK: the label at the end of the loop has another number', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( undef, $end ) = $f->loop_of_bunches;
    my ($last) = grep { $_->{live} && $_->{key} eq 'CONTINUE' && $_->{lines}[0] <= $end->{lines}[0] } reverse $f->statements('CERENK');
    $f->relabel( 'CERENK', $last->{label}, '1900' );
};
change 'parameter', 'CERENK: a PARAMETER that nothing uses', sub {
    my ($t) = @_;
    $t->corsika->declare( 'CERENK', 'INTEGER          MXPART', 'PARAMETER        ( MXPART = 1000 )' );
};
change 'temporary-photons', 'CERENK: the number of photons is computed through a temporary variable, with the same roundings', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->declare( 'CERENK', 'DOUBLE PRECISION PHPART' );
    my $s = $f->one( 'CERENK', qr/^PHOTCM=\(?\w+\*\w+\)?\*\w+$/ );
    my ( $x, $y, $z ) = $s->{key} =~ /=\(?(\w+)\*(\w+)\)?\*(\w+)$/;
    $f->replace( $s, "PHPART = $x * $y", "PHOTCM = PHPART * $z" );
};
change 'temporary-direction', 'CERENK: a direction cosine is summed up in two statements, with the same roundings', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'CERENK', qr/^\w+=TC11\*STCP\+TC12\*STSP\+TC13\*CTHETA$/ );
    my ($u) = $s->{key} =~ /^(\w+)=/;
    $f->replace( $s, "$u = TC11*STCP + TC12*STSP", "$u = $u + TC13*CTHETA" );
};
change 'times-one', 'CERENK: a factor of 1.D0 at the azimuth', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'CERENK', qr/^PHICER=/ ), sub { s/=\s*(.*\S)/= 1.D0 * ( $1 )/ } );
};

1;

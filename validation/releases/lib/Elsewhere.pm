# Changes outside of what the Cherenkov stage replaces or calls: the tracking, the stacks, the end of an event, the IACT
# package's storage. Harmful ones read or move, between two steps, what CERENK and the package leave or use.
package Elsewhere;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $kind, $text, $do ) = @_;
    push @changes, { name => $name, kind => $kind, area => 'elsewhere', text => $text, do => $do };
}

# The change that was told last adds a line to the log, which is right with the stage, too.
sub seen() { $changes[-1]{outputs} = 'other' }

# The first statement of a routine that does something.
sub begin {
    my ( $f, $name ) = @_;
    my $save = $f->one( $name, qr/^SAVE$/ );
    my ($first) = grep { $_->{live} && $_->{lines}[0] > $save->{lines}[0] && $_->{key} =~ /^(?!DATA|PARAMETER)(?:IF\(|CALL|WRITE|GOTO|DO\d*\w+=|\w+(?:\(.*?\))?=)/ }
      $f->statements($name);
    return $first || die "$name: has no statement that does something\n";
}

# Has a routine include a block of corsika.h.
sub include {
    my ( $f, $name, $block ) = @_;
    my ( $from, $to, $live ) = $f->bounds($name);
    my ($include) = grep { $live->[$_] && $f->{lines}[$_] =~ /^#include\s+"corsika\.h"/ } $from .. $to;
    die "$name: does not include corsika.h\n" if !defined $include;
    return if grep { $live->[$_] && $f->{lines}[$_] =~ /^#define\s+$block\b/ } $from .. $include;
    $f->splice_lines( $include, 0, "#define $block" );
}

# A sum SUMNEW that a routine adds up by these statements at its beginning; the log shows it as an event ends.
sub sum_in {
    my ( $f, $name, @statements ) = @_;
    my @common = ( 'DOUBLE PRECISION SUMNEW', 'COMMON /CRSUMN/  SUMNEW' );
    $f->before( begin( $f, $name ), @statements );
    $f->declare( $name, @common );
    $f->before( begin( $f, 'OUTEND' ), "WRITE(MONIOU,*) 'SUM OF THE EVENT: ',SUMNEW", 'SUMNEW = 0.D0' );
    $f->declare( 'OUTEND', @common );
}

# A function of ours in the IACT package, before telout_.
sub package_function {
    my ( $t, $head, $body ) = @_;
    $t->package_file('iact.c')->before_function( 'telout_', "$head;\n\n$head\n{\n   $body\n}\n\n" );
}

change 'electr-counter', 'harmless', 'ELECTR: a comment, and a saved local counter of steps with light, which nothing reads', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( $f->one( 'ELECTR', qr/^CALLCERENK\(TVSTPC,/ ), 'C  STEPS WITH LIGHT', 'NLSTEP = NLSTEP + 1' );
    $f->declare( 'ELECTR', 'INTEGER          NLSTEP', 'DATA NLSTEP / 0 /' );
};
change 'photon-labels', 'harmless', 'PHOTON: a label has another number', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($s) = grep { $_->{live} && $_->{label} && $_->{key} eq 'CONTINUE' } $f->statements('PHOTON');
    $f->relabel( 'PHOTON', ( $s || die "PHOTON: has no labelled CONTINUE\n" )->{label}, '19999' );
};
change 'box3-debug', 'harmless', 'BOX3: one more line for the debug unit', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( begin( $f, 'BOX3' ), "IF ( DEBUG ) WRITE(MDEBUG,*) 'BOX3  : ENTERED AT H=',SNGL(H)" );
};
change 'mutrac-declarations', 'harmless', 'MUTRAC: two declarations stand in the other order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($reals) = $f->all( 'MUTRAC', qr/^DOUBLEPRECISION\w+,CHITOT/ );
    my ($whole) = $f->all( 'MUTRAC', qr/^INTEGER\w+,IRET3$/ );
    die "MUTRAC: declares other variables\n" if !$reals || !$whole;
    $f->swap( $reals, $whole );
};
change 'tstack-split', 'harmless', 'TSTACK: its work is in a routine of its own, which it calls', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $head = $f->one( 'TSTACK', qr/^SUBROUTINETSTACK$/ );
    $f->edit( $head, sub { s/TSTACK/TSTCK2/i } );
    $f->splice_lines( $head->{lines}[0], 0, '      SUBROUTINE TSTACK', '      CALL TSTCK2', '      END', '' );
};
change 'steps-of-event', 'harmless', 'OUTEND: the log shows how often UPDATE was called in the event', sub {
    my ($t) = @_;
    sum_in( $t->corsika, 'UPDATE', 'SUMNEW = SUMNEW + 1.D0' );
};
seen;
change 'mean-bunch', 'harmless', 'telend_: the log shows the mean number of photons of the event\'s bunches', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( 'telend_', qr/all_photons_run\s*\+=/,
        qq{printf("Mean bunch: %f photons\\n", all_bunches > 0. ? all_photons/all_bunches : 0.);\n   } );
};
seen;

change 'draw-before-light', 'harmful', 'ELECTR: a number of sequence 3 is drawn before each step with light', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( $f->one( 'ELECTR', qr/^CALLCERENK\(TVSTPC,/ ), 'CALL RMMARD( RDNEW,1,3 )' );
    $f->declare( 'ELECTR', 'DOUBLE PRECISION RDNEW(1)' );
};
change 'bunch-size-in-event', 'harmful', 'ELECTR: CERSIZ changes every 500 steps with light', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( $f->one( 'ELECTR', qr/^CALLCERENK\(TVSTPC,/ ),
        'NLSTEP = NLSTEP + 1', 'IF ( MOD( NLSTEP,500 ) .EQ. 0 ) CERSIZ = 11.D0 - CERSIZ' );
    $f->declare( 'ELECTR', 'INTEGER          NLSTEP', 'DATA NLSTEP / 0 /' );
    include( $f, 'ELECTR', '__CEREN1INC__' );
};
change 'last-light-read', 'harmful', 'FSTACK: the photons of the last bunch, which CERENK leaves, are added up', sub {
    my ($t) = @_;
    sum_in( $t->corsika, 'FSTACK', 'SUMNEW = SUMNEW + PHOTCM' );
    include( $t->corsika, 'FSTACK', '__CEREN2INC__' );
};
change 'light-sums-read', 'harmful', 'PHOTON: the longitudinal sum of light half way down is read, and added up', sub {
    my ($t) = @_;
    sum_in( $t->corsika, 'PHOTON', 'IF ( LLONGI ) SUMNEW = SUMNEW + PLONG(NSTEP/2,9)' );
};
change 'package-counter-read', 'harmful', 'PHOTON: the package\'s count of bunches is read, and added up', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    package_function( $t, 'void telcnt_(double *count)', '*count = all_bunches;' );
    sum_in( $f, 'PHOTON', 'CALL TELCNT( BNCNEW )', 'SUMNEW = SUMNEW + BNCNEW' );
    $f->declare( 'PHOTON', 'DOUBLE PRECISION BNCNEW' );
};
change 'telescopes-move', 'harmful', 'PHOTON: the first telescope moves by a hundredth of a millimetre', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    package_function( $t, 'void telmov_(void)', 'if ( narray > 0 && ndet[0] > 0 )\n      detector[0][0].x0 += 0.001;' =~ s/\\n/\n/r );
    $f->before( begin( $f, 'PHOTON' ), 'CALL TELMOV' );
};
change 'bunches-by-draw', 'harmful', 'photon_hit, compact_photon_hit: a number of sequence 3 decides whether a bunch is stored', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( $_, qr/det->photons\s*\+=\s*photons/,
        "{\n      int one = 1, three = 3;\n      double share;\n      rmmard_(&share,&one,&three);\n      if ( share < 0.25 )\n         return 0;\n   }\n   " )
      for qw(photon_hit compact_photon_hit);
};

1;

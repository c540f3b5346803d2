# Changes of CERLDE, LBIN and THCKSI, which fill the longitudinal distribution of light, and of RMMARD, which change numbers;
# and some of RMMARD that do not.
package Longitudinal;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $kind, $area, $text, $do ) = @_;
    push @changes, { name => $name, kind => $kind, area => $area, text => $text, do => $do };
}

# The change that was told last moves only last bits, which no output file of a short run shows.
sub unseen() { $changes[-1]{outputs} = 'same' }

# The variables with the depths at the beginning and at the end, as CERLDE names them.
sub depths_of {
    my ($f) = @_;
    my @name = map { $_->{key} =~ /^(\w+)=/ } $f->all( 'CERLDE', qr/^\w+=THCKSI\(/ );
    die 'CERLDE: ' . @name . " calls of THCKSI, where 2 are wanted\n" if @name != 2;
    return @name;
}

change 'longi-at-middle', 'harmful', 'cerenk', 'CERLDE: light fills the distribution from the middle of its part of the step on', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = ( $f->all( 'CERLDE', qr/^\w+=\(XEMIS-XSTEP2\)\*STHCPH/ ) )[0] or die "CERLDE: computes no position along the axis\n";
    $f->edit( $s, sub { s/\(\s*XEMIS\s*-\s*XSTEP2\s*\)/XEMIS/i } );
};
change 'longi-to-middle', 'harmful', 'cerenk', 'CERLDE: the depth at the end of the bunch is that of its middle', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $old, $new ) = depths_of($f);
    $f->after( $f->one( 'CERLDE', qr/^$new=THCKSI\(/ ), "$new = 0.5D0 * ( $old + $new )" );
};
change 'longi-rounding', 'harmful', 'cerenk', 'CERLDE: bins of the step are rounded as a difference of products', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $old, $new ) = depths_of($f);
    my $s = $f->one( 'CERLDE', qr/^\w+=\($new-$old\)\*THSTPI$/ );
    $f->edit( $s, sub { s/=.*/= $new*THSTPI - $old*THSTPI/ } );
};
unseen;
change 'longi-always-spread', 'harmful', 'cerenk', 'CERLDE: light of a single bin is spread as other light is', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $first, $second ) = map { $_->{key} =~ /^(\w+)=/ } $f->all( 'CERLDE', qr/^\w+=LBIN\(/ );
    my ($s) = grep { $_->{key} =~ /\b$first\b/ && $_->{key} =~ /\.EQ\./ && $_->{key} =~ /$second\b/ } $f->all( 'CERLDE', qr/^IF\(.*\.LE\.NSTEP.*\)THEN$/ );
    die "CERLDE: has no short cut for light of a single bin\n" if !$s;
    $f->edit( $s, sub { s/IF\s*\(/IF ( .FALSE. .AND. /i } );
};
change 'longi-bin-edge', 'harmful', 'cerenk', 'LBIN: bins begin a metre later along the axis', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->edit( $f->one( 'LBIN', qr/^\w+=.*\*STHCPH\+.*\+RLOFF$/ ), sub { s/$/ - 100.D0/ } );
};
change 'longi-next-bin', 'harmful', 'cerenk', 'CERLDE: light goes into the bin after its own', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($first) = map { $_->{key} =~ /^(\w+)=/ } $f->all( 'CERLDE', qr/^\w+=LBIN\(/ );
    my $s = ( $f->all( 'CERLDE', qr/^PLONG\($first,9\)=PLONG\($first,9\)\+PHOTCM$/ ) )[0] or die "CERLDE: has no short cut for light of a single bin\n";
    $f->edit( $s, sub { s/\b$first\b/MIN($first+1,NSTEP)/ig } );
};
change 'depth-scale', 'followed', 'cerenk', 'THCKSI: an interpolated depth is a hundred-thousandth more', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my @all = grep { $_->{live} } $f->statements('THCKSI');
    my ($s) = grep { $_->{key} =~ /^THCKSI=\w+\(\w+\)\+/ } @all;
    die "THCKSI: does not interpolate\n" if !$s;
    $f->after( $s, 'THCKSI = THCKSI * 1.00001D0' );
};
change 'generator-names', 'harmless', 'generator', 'RMMARD: arguments and the counter of its loop have other names', sub {
    my ($t) = @_;
    $t->corsika->rename_locals( 'RMMARD', RVEC => 'VALUES', LENV => 'NUMBER', ISEQ => 'NSEQ' );
};
change 'generator-comments', 'harmless', 'generator', 'RMMARD: a comment before the loop', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    $f->before( $f->one( 'RMMARD', qr/^DO\w+=1,\w+$/ ), 'C  AS MANY NUMBERS AS ARE ASKED FOR' );
};
change 'generator-skips', 'harmful', 'generator', 'RMMARD: the first number of a call takes 1 less what it was', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $do = $f->one( 'RMMARD', qr/^DO\w+=1,\w+$/ );
    my ($vector) = $f->statements('RMMARD');
    my ($name) = $vector->{key} =~ /RMMARD\((\w+),/;
    my ($count) = $do->{key} =~ /,(\w+)$/;
    $f->after( $f->block_end( 'RMMARD', $do ), "IF ( $count .GT. 0 ) $name(1) = 1.D0 - $name(1)" );
};
change 'generator-constant', 'harmful', 'generator', 'RMMARD: the arithmetic sequence has another step', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $s = $f->one( 'RMMARD', qr/^C\(JSEQ\)=C\(JSEQ\)-\w+$/ );
    $f->edit( $s, sub { s/-\s*(\w+)\s*$/- 3.D0*$1/ } );
};

1;

# Changes of what routines are called with, and of names that they share, that a next release could bring and that change
# no number.
package FortranInterfaces;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $text, $do ) = @_;
    push @changes, { name => $name, kind => 'harmless', area => 'cerenk', text => $text, do => $do };
}

change 'argument-cerlde', 'CERLDE has an argument more, which it does not use', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($call) = $f->one( 'CERENK', qr/CALLCERLDE$/ );
    $f->edit( $call, sub { s/(CERLDE)\s*$/$1( ISTC )/i } );
    my ($head) = $f->statements('CERLDE');
    $f->edit( $head, sub { s/(CERLDE)\s*$/$1( ISUB )/i } );
    $f->declare( 'CERLDE', 'INTEGER          ISUB' );
};
change 'argument-lbin', 'LBIN has an argument more, which it does not use', sub {
    my ($t) = @_;
    one_argument_more( $t->corsika, 'LBIN' );
};
change 'argument-thcksi', 'THCKSI has an argument more, which it does not use', sub {
    my ($t) = @_;
    one_argument_more( $t->corsika, 'THCKSI' );
};
change 'argument-cerenk', 'CERENK has an argument more at the end, which it does not use', sub {
    my ($t) = @_;
    one_argument_more( $t->corsika, 'CERENK' );
};
change 'argument-order', 'CERENK has its first two arguments in the other order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($head) = $f->statements('CERENK');
    $f->edit( $head, sub { s/(CERENK\s*\(\s*)(\w+)(\s*,\s*)(\w+)/$1$4$3$2/i } );
    for my $call ( calls_of( $f, 'CERENK' ) ) {
        my $rest = substr $f->{lines}[ $call->{line} ], $call->{from};
        $rest =~ s/^(\s*)([^,()]+),([^,()]+),/$1$3,$2,/ or die "CERENK: a call has other than two plain arguments first\n";
        substr( $f->{lines}[ $call->{line} ], $call->{from} ) = $rest;
    }
};
change 'argument-names', 'CERENK: its arguments have other names', sub {
    my ($t) = @_;
    $t->corsika->rename_locals(
        'CERENK', STEPCR => 'STEPLN', XBEG => 'XSTART', YBEG => 'YSTART', ZBEG => 'ZSTART', TBEG => 'TSTART', EBEG => 'ESTART', AMASS => 'PMASS'
    );
};
change 'argument-telout', 'telout_ has an argument more, which it does not use', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my $call = $f->one( 'CERENK', qr/^ITHIT=TELOUT\(PHOTCM,/ );
    my $line = $call->{lines}[-1];
    $f->{lines}[$line] =~ s/\)\s*$/,ISTC )/ or die "CERENK: the call of TELOUT ends in another shape\n";
    $t->package_file('iact.c')->one_argument_more( 'telout_', 'int *part' );
};
change 'common-name', 'a variable of a COMMON block, ETADSN, has another name in all routines', sub {
    my ($t) = @_;
    for my $f ( $t->corsika, $t->commons ) {
        my $count = 0;
        for my $line ( @{ $f->{lines} } ) {
            next if FixedForm::is_comment($line);
            $line = FixedForm::outside_strings( $line, sub { $count += s/\bETADSN\b/ETADNS/gi } );
        }
        die "ETADSN is not there\n" if !$count;
    }
};

# An argument more at the end of a routine, 0 in all calls.
sub one_argument_more {
    my ( $f, $name ) = @_;
    my ($head) = $f->statements($name);
    $f->edit( $head, sub { s/\s*\)\s*$/,IUNUSE )/ } );
    $f->declare( $name, 'INTEGER          IUNUSE' );
    for my $call ( reverse calls_of( $f, $name ) ) {
        for my $end ( reverse @{ $call->{ends} } ) {
            my ( $line, $at ) = @$end;
            substr( $f->{lines}[$line], $at, 0 ) = ',0';
            $f->rewrap($line);
        }
    }
}

# Every call of a routine in the file: its line, the column behind its '(', and of its ')' lines and columns; more than
# one where conditionals give it several ends.
sub calls_of {
    my ( $f, $name ) = @_;
    my ( $first, $last ) = $f->bounds($name);
    my @calls;
    for my $i ( 0 .. $#{ $f->{lines} } ) {
        my $line = $f->{lines}[$i];
        next if $i >= $first && $i <= $last || $line !~ /\b\Q$name\E\s*\(/i;
        next if FixedForm::is_comment($line) || $line =~ /^#/ || FixedForm::code($line) !~ /\b\Q$name\E\s*\(/i;
        push @calls, { line => $i, from => $+[0] + 6, ends => [ ends_of( $f, $i, $+[0] + 6 ) ] };
    }
    die "$name: no calls\n" if !@calls;
    return @calls;
}

# Where the argument list ends that begins at this line and column.
sub ends_of {
    my ( $f, $line, $at ) = @_;
    my ( $depth, @ends, @saved ) = (1);
    while (1) {
        my $code = substr $f->{lines}[$line], 0, 72;
        for ( ; $depth && $at < length $code ; $at++ ) {
            my $c = substr $code, $at, 1;
            $depth += $c eq '(' ? 1 : $c eq ')' ? -1 : 0;
            push @ends, [ $line, $at ] if $depth == 0;
        }
        return @ends if $depth == 0 && !@saved;
        $line++;
        $at = 6;
        if    ( $f->{lines}[$line] =~ /^#\s*if/ )   { push @saved, $depth; $at = 72 }
        elsif ( $f->{lines}[$line] =~ /^#\s*el/ )   { $depth = $saved[-1]; $at = 72 }
        elsif ( $f->{lines}[$line] =~ /^#\s*endif/ ) { pop @saved; $at = 72; return @ends if $depth == 0 && !@saved }
    }
}

1;

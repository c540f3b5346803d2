# Changes of the shape of CERENK, CERLDE and LBIN that a next release could bring and that change no number: other control
# statements, arguments, COMMON blocks and places of routines.
package FortranReshaped;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $text, $do ) = @_;
    push @changes, { name => $name, kind => 'harmless', area => 'cerenk', text => $text, do => $do };
}

change 'true-conditional', 'CERENK: a preprocessor conditional that holds stands around the loop', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $do, $end ) = $f->loop_of_bunches;
    $f->after( $end, '#endif' );
    $f->before( $do, '#if !__NOCERLOOP__' );
};
change 'if-else-for-goto', 'CERENK: IF and ELSE in the place of a GOTO to the end of the loop', sub {
    my ($t) = @_;
    my $f    = $t->corsika;
    my $if   = $f->one( 'CERENK', qr/^IF\(.*STHET2\.LE\.0\.D0\)THEN$/ );
    my $goto = ( grep { $_->{live} && $_->{key} =~ /^GOTO\d+$/ && $_->{lines}[0] > $if->{lines}[0] } $f->statements('CERENK') )[0];
    my ($label) = $goto->{key} =~ /(\d+)/;
    my $endif = $f->block_end( 'CERENK', $if );
    die "CERENK: the GOTO is not the last statement of its block\n" if $goto->{lines}[0] > $endif->{lines}[0];
    $f->before( ( grep { $_->{label} eq $label } $f->statements('CERENK') )[0], 'ENDIF' );
    $f->replace( $endif, 'ELSE' );
    $f->replace($goto);
};
change 'do-while', 'LBIN: a DO WHILE in the place of the DO over bins', sub {
    my ($t) = @_;
    my $f   = $t->corsika;
    my $do  = $f->one( 'LBIN', qr/^DO\w+=\w+,\w+$/ );
    my $end = $f->block_end( 'LBIN', $do );
    my ( $i, $from, $to ) = $do->{key} =~ /^DO(\w+)=(\w+),(\w+)$/;
    $f->replace( $end, "  $i = $i + 1", 'ENDDO' );
    $f->replace( $do, "$i = $from", "DO WHILE ( $i .LE. $to )" );
};
change 'lower-case', 'CERLDE and LBIN are written in lower case', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    for my $name (qw(CERLDE LBIN)) {
        my ( $first, $last ) = $f->bounds($name);
        for my $line ( @{ $f->{lines} }[ $first .. $last ] ) {
            next if FixedForm::is_comment($line) || $line =~ /^#/;
            $line = FixedForm::outside_strings( $line, sub { $_ = lc } );
        }
    }
};
change 'declarations', 'CERENK: more declarations, one of them of what another routine declares', sub {
    my ($t) = @_;
    $t->corsika->declare(
        'CERENK',
        'DOUBLE PRECISION XMIDDL,YMIDDL',
        'LOGICAL          LDETEC',
        'INTEGER          LBIN',
        'EXTERNAL         LBIN'
    );
};
change 'include-order', 'CERENK: the COMMON blocks that it wants are named in the other order', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $first, $last, $live ) = $f->bounds('CERENK');
    my @at = grep { $live->[$_] && $f->{lines}[$_] =~ /^#define\s+__\w+INC__\s*$/ } $first .. $last;
    die "CERENK: names fewer than 2 COMMON blocks\n" if @at < 2;
    @{ $f->{lines} }[ @at[ 0, 1 ] ] = @{ $f->{lines} }[ @at[ 1, 0 ] ];
};
change 'common-block-longer', 'the COMMON block of XEMIS has a variable more', sub {
    my ($t) = @_;
    my $f = $t->commons;
    my ( $begin, $line ) = common_with( $f, 'XEMIS' );
    $f->{lines}[$line] =~ s/\bXEMIS,/CERSPR,XEMIS,/;
    die "a line of the COMMON block of XEMIS has no room\n" if length $f->{lines}[$line] > 72;
    $f->splice_lines( $begin, 0, '      DOUBLE PRECISION CERSPR' );
};
change 'common-block-order', 'two variables of the COMMON block of XEMIS stand in the other order', sub {
    my ($t) = @_;
    my $f = $t->commons;
    my ( undef, $line ) = common_with( $f, 'XEMIS' );
    $f->{lines}[$line] =~ s/\bXEMIS,YEMIS\b/YEMIS,XEMIS/ or die "XEMIS,YEMIS do not stand in one line of their COMMON block\n";
};
change 'new-routine', 'a subroutine more, which nothing calls', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( undef, $end ) = $f->bounds('LBIN');
    $f->splice_lines(
        $end + 1, 0, '',
        '      SUBROUTINE CERSUM( VALUES,NUMBER,TOTAL )',
        '', '      IMPLICIT NONE',
        '      INTEGER          I,NUMBER',
        '      DOUBLE PRECISION TOTAL,VALUES(NUMBER)',
        '      SAVE', '',
        '      TOTAL = 0.D0',
        '      DO  I = 1, NUMBER',
        '        TOTAL = TOTAL + VALUES(I)',
        '      ENDDO', '', '      RETURN', '      END'
    );
};
change 'call-under-if', 'CERENK: the call of CERLDE and its IF change form: a block for a logical IF, or the other way', sub {
    my ($t)  = @_;
    my $f    = $t->corsika;
    my $call = $f->one( 'CERENK', qr/CALLCERLDE(?:\(.*)?$/ );
    if ( my ( $condition, $work ) = $call->{text} =~ /^\s*IF\s*\((.*)\)\s*(CALL\s+CERLDE.*)$/i ) {
        $f->replace( $call, "IF ($condition) THEN", "  $work", 'ENDIF' );
        return;
    }
    my @all = grep { $_->{live} } $f->statements('CERENK');
    my ($at) = grep { $all[$_]{lines}[0] == $call->{lines}[0] } 0 .. $#all;
    my ( $if, $endif ) = @all[ $at - 1, $at + 1 ];
    my ($condition) = $if->{text} =~ /^\s*IF\s*\((.*)\)\s*THEN\s*$/i;
    die "CERENK: the call of CERLDE does not stand alone in an IF\n" if !defined $condition || $endif->{key} ne 'ENDIF';
    my $work = $call->{text} =~ s/^\s+//r;
    $f->replace($endif);
    $f->replace($call);
    $f->replace( $if, "IF ($condition) $work" );
};
change 'enddo', 'CERENK: the loop changes form: ENDDO for a labelled DO, or the other way', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $do, $end ) = $f->loop_of_bunches;
    if ( $do->{key} =~ /^DO\d/ ) {
        $f->after( $end, 'ENDDO' );
        $f->edit( $do, sub { s/DO\s*\d+/DO/i } );
        return;
    }
    $f->replace( $end, '2900 CONTINUE' );
    $f->edit( $do, sub { s/DO\b/DO 2900/i } );
};
change 'minimum', 'CERENK: the largest cosine is kept to 1 by MIN for an IF, or the other way', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ($min) = $f->all( 'CERENK', qr/^WEMIS=MIN\(1\.D0,WEMIS\)$/ );
    if ($min) { $f->replace( $min, 'IF ( WEMIS .GT. 1.D0 ) WEMIS = 1.D0' ); return }
    $f->replace( $f->one( 'CERENK', qr/^IF\(WEMIS\.GT\.1\.D0\)WEMIS=1\.D0$/ ), 'WEMIS = MIN( 1.D0,WEMIS )' );
};
change 'first-draw', 'CERENK: one call for the first random numbers in the place of a call in IF and one in ELSE', sub {
    my ($t)  = @_;
    my $f    = $t->corsika;
    my $if   = ( $f->all( 'CERENK', qr/^IF\(NRDM\.GT\.MAXRDM\)THEN$/ ) )[0] or die "CERENK: no IF over the numbers to draw\n";
    my $end  = $f->block_end( 'CERENK', $if );
    my @part = grep { $_->{live} && $_->{lines}[0] > $if->{lines}[0] && $_->{lines}[0] < $end->{lines}[0] } $f->statements('CERENK');
    die "CERENK: the first random numbers are drawn in another shape\n"
      if @part != 3 || $part[1]{key} ne 'ELSE' || grep { $_->{key} !~ /^CALLRMMARD\(RDM,\w+,3\)$/ } @part[ 0, 2 ];
    my ($sequence) = $part[0]{key} =~ /,(\d+)\)$/;
    $f->replace($_) for reverse @part, $end;
    $f->replace( $if, "CALL RMMARD( RDM,MIN( NRDM,MAXRDM ),$sequence )" );
};
change 'routine-moved', 'CERLDE stands before CERENK', sub {
    my ($t) = @_;
    my $f = $t->corsika;
    my ( $first, $last ) = $f->bounds('CERLDE');
    my @routine = @{ $f->{lines} }[ $first .. $last ];
    my ($guard) = grep { $f->{lines}[$_] =~ /^#if/ } reverse 0 .. $first;
    $guard = $f->{lines}[$guard];
    die "CERLDE: conditionals cut through it\n" if !balanced(@routine);
    $f->splice_lines( $first, scalar @routine );
    my ($at) = $f->bounds('CERENK');
    $f->splice_lines( $at, 0, $guard, @routine, '#endif', '' );
};

# The line of a COMMON block's begin that holds this name, and the line with the name.
sub common_with {
    my ( $f, $name ) = @_;
    my @at = grep { $f->{lines}[$_] =~ /^ {5}[^ 0].*[\/,\s]\Q$name\E,/ || $f->{lines}[$_] =~ /^ {6}\s*COMMON.*[\/,]\Q$name\E,/ } 0 .. $#{ $f->{lines} };
    for my $line (@at) {
        my $begin = $line;
        $begin-- while $begin > 0 && $f->{lines}[$begin] =~ /^(?: {5}[^ 0]|#)/;
        return ( $begin, $line ) if $f->{lines}[$begin] =~ /^\s+COMMON/;
    }
    die "no COMMON block holds $name\n";
}

sub balanced {
    my $depth = 0;
    for (@_) {
        $depth++ if /^#\s*if/;
        $depth-- if /^#\s*endif/;
        return 0 if $depth < 0;
    }
    return $depth == 0;
}

1;

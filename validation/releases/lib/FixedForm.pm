# A Fortran source in fixed form: finds a routine and its statements, and changes them in memory. Statements are compared
# by their key: without blanks, in capitals. Only statements count that the macros leave in; renaming covers all.
package FixedForm;
use strict;
use warnings;
use Conditionals;

sub read {
    my ( $class, $path, $macros ) = @_;
    open my $in, '<:raw', $path or die "cannot read $path: $!\n";
    my @lines = map { s/\r?\n$//r } <$in>;
    return bless { path => $path, lines => \@lines, macros => $macros }, $class;
}

sub write {
    my ($self) = @_;
    my $new = "$self->{path}.new";
    open my $out, '>:raw', $new or die "cannot write $new: $!\n";
    print $out map { "$_\n" } @{ $self->{lines} };
    close $out or die "cannot write $new: $!\n";
    rename $new, $self->{path} or die "cannot rename $new: $!\n";
}

sub is_comment { $_[0] =~ /^[Cc*!]/ || $_[0] =~ /^\s*(!|$)/ }

# The code of one line: columns 7 to 72, without a comment behind '!'.
sub code {
    my $text = length $_[0] > 6 ? substr( $_[0], 6, 66 ) : '';
    my $out  = '';
    while ( $text =~ /\G('(?:[^']|'')*'?|[^'!]+|(!))/gc ) {
        last if defined $2;
        $out .= $1;
    }
    return $out =~ s/\s+$//r;
}

# Capitals and no blanks; strings stay as they are.
sub key {
    return outside_strings( $_[0], sub { s/\s+//g; $_ = uc } );
}

# What `edit` makes of $_ where it is code; strings stay as they are.
sub outside_strings {
    my ( $text, $edit ) = @_;
    my $out = '';
    for my $part ( split /('(?:[^']|'')*')/, $text ) {
        local $_ = $part;
        $edit->() if !/^'/;
        $out .= $_;
    }
    return $out;
}

my $type = qr/(?:INTEGER|REAL|LOGICAL|DOUBLEPRECISION|COMPLEX|CHARACTER)(?:\*\d+)?/;

# All routines of this name that are left in: index of head and END. Dies where it is not just one.
sub bounds {
    my ( $self, $name ) = @_;
    my $lines = $self->{lines};
    my $live  = Conditionals::live( $lines, $self->{macros} );
    my @heads = grep {
             $live->[$_]
          && $lines->[$_] =~ /\Q$name\E/i
          && !is_comment( $lines->[$_] )
          && $lines->[$_] =~ /^ {6}/
          && key( code( $lines->[$_] ) ) =~ /^(?:SUBROUTINE|${type}?FUNCTION)\Q$name\E(?:\(.*)?$/i
    } 0 .. $#$lines;
    die "$name: " . @heads . " routines of this name, where 1 is wanted\n" if @heads != 1;
    for my $end ( $heads[0] + 1 .. $#$lines ) {
        return ( $heads[0], $end, $live ) if $lines->[$end] =~ /^\s{6,}end\s*$/i && $live->[$end];
    }
    die "$name: no END\n";
}

# The statements of a routine, in order: label, text with its blanks, key, lines (indices), live, cut (conditionals in it).
sub statements {
    my ( $self, $name ) = @_;
    my ( $first, $last, $live ) = $self->bounds($name);
    my ( @out, %latest, $directive );
    for my $i ( $first .. $last ) {
        my $line = $self->{lines}[$i];
        if ( $line =~ /^\s*#/ ) { $directive = $i; next }
        next if is_comment($line);
        my $alive = $live->[$i];
        if ( $line =~ /^ {5}[^ 0]/ ) {
            my $to = $latest{$alive} or die "$name: a continuation of nothing\n";
            $to->{cut} = 1 if defined $directive && $directive > $to->{lines}[-1];
            $to->{text} .= code($line);
            push @{ $to->{lines} }, $i;
            next;
        }
        my $label = substr( $line, 0, 5 ) =~ s/\s+//gr;
        $latest{$alive} = { label => $label, text => code($line), lines => [$i], live => $alive, cut => 0 };
        push @out, $latest{$alive};
    }
    $_->{key} = key( $_->{text} ) for @out;
    return @out;
}

# Live statements whose key matches.
sub all {
    my ( $self, $name, $pattern ) = @_;
    return grep { $_->{live} && $_->{key} =~ $pattern } $self->statements($name);
}

# The only one; dies where there is none, or more.
sub one {
    my ( $self, $name, $pattern ) = @_;
    my @found = $self->all( $name, $pattern );
    die "$name: " . @found . " statements match $pattern, where 1 is wanted\n" if @found != 1;
    return $found[0];
}

# The statement that ends the block IF ... THEN or the DO that begins with $from (a live statement of $name).
sub block_end {
    my ( $self, $name, $from ) = @_;
    my $label = $from->{key} =~ /^DO(\d+)[A-Z]\w*=/ ? $1 : undef;
    my ( $depth, $seen ) = ( 0, 0 );
    for my $s ( grep { $_->{live} } $self->statements($name) ) {
        $seen ||= $s->{lines}[0] == $from->{lines}[0];
        next if !$seen;
        if ( defined $label ) { return $s if $s->{label} eq $label; next }
        $depth++ if $s->{key} =~ /^IF\(.*\)THEN$/ || $s->{key} =~ /^DO(?:WHILE\(|[A-Z]\w*=)/;
        $depth-- if $s->{key} =~ /^END(?:IF|DO)$/;
        return $s if $depth == 0;
    }
    die "$name: a block has no end\n";
}

# The loop over bunches in CERENK: its DO, and the statement at its end.
sub loop_of_bunches {
    my ($self) = @_;
    my $do = $self->one( 'CERENK', qr/^DO(?:\d+)?ISTC=/ );
    return ( $do, $self->block_end( 'CERENK', $do ) );
}

# Lines of one statement: text broken before column 72, where no string is cut.
sub lines_of {
    my ( $label, $text, $width ) = @_;
    $width ||= 66;
    die "no statement has so long a label: $label\n" if length $label > 5;
    my @out;
    my $indent = $text =~ /^(\s*)/ ? length $1 : 0;
    while ( length $text > $width ) {
        my ( $at, $quoted ) = ( 0, 0 );
        for my $i ( 0 .. $width - 1 ) {
            my $c = substr $text, $i, 1;
            $quoted = !$quoted if $c eq "'";
            $at = $i + 1 if !$quoted && $i > $indent && $c =~ /[ ,(+\/]/ && substr( $text, $i + 1, 1 ) !~ /[\/*]/;
        }
        die "a statement cannot be broken: $text\n" if !$at;
        push @out, substr( $text, 0, $at ) =~ s/\s+$//r;
        my $rest = substr( $text, $at ) =~ s/^\s+//r;
        $text = ' ' x ( $indent + 4 < 24 ? $indent + 4 : 24 ) . $rest;
    }
    push @out, $text;
    my $begin = sprintf '%5s ', $label;
    return map { my $line = $begin . $_; $begin = '     *'; $line } @out;
}

# Breaks a line that goes on behind column 72.
sub rewrap {
    my ( $self, $i ) = @_;
    my $line = $self->{lines}[$i];
    return if length $line <= 72;
    my $begin = substr $line, 0, 6;
    my @new = map { my $l = $begin . substr $_, 6; $begin = '     *'; $l } lines_of( '', substr $line, 6 );
    $self->splice_lines( $i, 1, @new );
}

# New lines for a text of ours: '#...' a directive, 'C...' a comment, '10 ...' a labelled statement, else a statement.
# `indent` blanks stand before a statement.
sub new_lines {
    my ( $text, $indent ) = @_;
    return $text if $text =~ /^(?:#|C )/;
    my $label = $text =~ s/^(\d+)\s+// ? $1 : '';
    return lines_of( $label, ' ' x $indent . $text );
}

sub indent_of { $_[0]{text} =~ /^(\s*)/ ? length $1 : 0 }

sub splice_lines {
    my ( $self, $at, $count, @new ) = @_;
    splice @{ $self->{lines} }, $at, $count, @new;
}

sub before {
    my ( $self, $s, @texts ) = @_;
    $self->splice_lines( $s->{lines}[0], 0, map { new_lines( $_, indent_of($s) ) } @texts );
}

sub after {
    my ( $self, $s, @texts ) = @_;
    $self->splice_lines( $s->{lines}[-1] + 1, 0, map { new_lines( $_, indent_of($s) ) } @texts );
}

# Other statements in the place of one; none deletes it. One that conditionals cut through is refused.
sub replace {
    my ( $self, $s, @texts ) = @_;
    die "a statement holds a conditional: $s->{key}\n" if $s->{cut};
    my $first = $s->{lines}[0];
    my $count = $s->{lines}[-1] - $first + 1;
    $self->splice_lines( $first, $count, map { new_lines( $_, indent_of($s) ) } @texts );
}

# Another text of one statement, by what `edit` does with $_; the label stays. Dies where nothing changes.
sub edit {
    my ( $self, $s, $edit ) = @_;
    die "a statement holds a conditional: $s->{key}\n" if $s->{cut};
    local $_ = $s->{text};
    $edit->();
    die "a statement is not in the shape that is wanted: $s->{key}\n" if $_ eq $s->{text};
    my $first = $s->{lines}[0];
    $self->splice_lines( $first, $s->{lines}[-1] - $first + 1, lines_of( $s->{label}, $_ ) );
}

# Declarations of ours, before the routine's SAVE, which ends its declarations.
sub declare {
    my ( $self, $name, @texts ) = @_;
    $self->before( $self->one( $name, qr/^SAVE$/ ), @texts );
}

# Other names for a routine's own variables, wherever they stand in it, whatever conditionals say.
sub rename_locals {
    my ( $self, $name, %names ) = @_;
    my ( $first, $last ) = $self->bounds($name);
    my $declared = join "\n", map { $_->{key} } grep { $_->{key} =~ /^$type\w/ } $self->statements($name);
    my $text = uc join "\n", map { is_comment( $self->{lines}[$_] ) ? '' : $self->{lines}[$_] } $first .. $last;
    for my $old ( sort keys %names ) {
        die "$name: declares no $old\n" if $declared !~ /(?:$type|,|\))\Q$old\E\b/;
        die "$name: has a $names{$old} already\n" if $text =~ /\b\Q$names{$old}\E\b/;
    }
    my $any = join '|', map { quotemeta } sort keys %names;
    for my $i ( reverse $first .. $last ) {
        my $line = $self->{lines}[$i];
        next if is_comment($line) || $line =~ /^\s*#/;
        my $code = code($line);
        my $new  = outside_strings( $code, sub { s/(?<!\w)($any)\b/$names{ uc $1 }/gi } );
        next if $new eq $code;
        my $begin = substr $line, 0, 6;
        my @lines = length $new > 66 ? map { substr $_, 6 } lines_of( '', $new ) : ($new);
        $self->splice_lines( $i, 1, map { my $l = $begin . $_; $begin = '     *'; $l } @lines );
    }
}

# Another number for a label, where it stands and where GOTO and DO name it, whatever conditionals say.
sub relabel {
    my ( $self, $name, $old, $new ) = @_;
    for my $s ( reverse $self->statements($name) ) {
        my @lines = @{ $self->{lines} }[ $s->{lines}[0] .. $s->{lines}[-1] ];
        if    ( $s->{label} eq $old )                  { substr( $lines[0], 0, 5 ) = sprintf '%-5s', $new }
        elsif ( $s->{key} =~ /(?:GOTO|^DO)$old(?!\d)/ ) { s/\b((?:GO\s*TO|DO)\s*)$old\b/$1$new/i for @lines }
        else                                           { next }
        $self->splice_lines( $s->{lines}[0], scalar @lines, @lines );
    }
}

# Exchanges two statements, of which the first stands before the second.
sub swap {
    my ( $self, $s, $t ) = @_;
    die "a statement holds a conditional\n" if $s->{cut} || $t->{cut};
    my @lines = @{ $self->{lines} };
    my @first  = @lines[ $s->{lines}[0] .. $s->{lines}[-1] ];
    my @second = @lines[ $t->{lines}[0] .. $t->{lines}[-1] ];
    die "two statements stand in another order than is wanted\n" if $s->{lines}[-1] >= $t->{lines}[0];
    $self->splice_lines( $t->{lines}[0], scalar @second, @first );
    $self->splice_lines( $s->{lines}[0], scalar @first,  @second );
}

1;

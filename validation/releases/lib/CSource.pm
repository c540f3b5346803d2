# A C source: finds a function's body and places in it, and changes them in memory. Comments, strings and what the macros
# leave out are not looked at.
package CSource;
use strict;
use warnings;
use Conditionals;

sub read {
    my ( $class, $path, $macros ) = @_;
    open my $in, '<:raw', $path or die "cannot read $path: $!\n";
    local $/;
    return bless { path => $path, text => scalar <$in>, macros => $macros }, $class;
}

sub write {
    my ($self) = @_;
    my $new = "$self->{path}.new";
    open my $out, '>:raw', $new or die "cannot write $new: $!\n";
    print $out $self->{text};
    close $out or die "cannot write $new: $!\n";
    rename $new, $self->{path} or die "cannot rename $new: $!\n";
}

# The text with blanks for comments and strings, at the same places; with `live` also for directives and dead lines.
sub masked {
    my ( $self, $live ) = @_;
    my $text = $self->{text};
    $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')}{ $1 =~ s/[^\n]/ /gr }gse;
    return $text if !$live;
    my @lines = split /^/, $text;
    my $alive = Conditionals::live( \@lines, $self->{macros} );
    my $goes_on = 0;
    for my $i ( 0 .. $#lines ) {
        my $directive = $goes_on || $lines[$i] =~ /^\s*#/;
        $goes_on = $directive && $lines[$i] =~ /\\\s*$/;
        $lines[$i] =~ s/[^\n]/ /g if $directive || !$alive->[$i];
    }
    return join '', @lines;
}

# Where a function's definition stands: its name, and its body from '{' to '}'.
sub function {
    my ( $self, $name ) = @_;
    my $text = $self->masked(1);
    my @found;
    while ( $text =~ /^[a-z][\w\s*]*?\b(\Q$name\E)\s*(\((?:[^()]++|(?2))*\))\s*\{/gmi ) {
        my ( $at, $open ) = ( $-[1], $+[0] - 1 );
        pos($text) = $open;
        $text =~ /\G(\{(?:[^{}]++|(?1))*\})/g or die "$name: braces do not match\n";
        push @found, { from => $at, open => $open, to => $+[0] };
    }
    die "$name: " . @found . " functions of this name, where 1 is wanted\n" if @found != 1;
    return $found[0];
}

# Replaces the only match of a pattern in a function by what `make` returns; it is given what the pattern's groups took.
sub change {
    my ( $self, $name, $pattern, $make ) = @_;
    my $f = $self->function($name);
    my $text = $self->masked(1);
    my @found;
    while ( $text =~ /$pattern/g ) {
        next if $-[0] < $f->{from} || $+[0] > $f->{to};
        push @found, [ $-[0], $+[0], map { defined $-[$_] ? substr( $self->{text}, $-[$_], $+[$_] - $-[$_] ) : undef } 1 .. $#- ];
    }
    die "$name: " . @found . " places match $pattern, where 1 is wanted\n" if @found != 1;
    my ( $from, $to, @groups ) = @{ $found[0] };
    substr( $self->{text}, $from, $to - $from ) = $make->(@groups);
}

# Text of ours at the beginning of a function's statements (behind its declarations), before the first match of `pattern`.
sub insert_before {
    my ( $self, $name, $pattern, $new ) = @_;
    $self->change( $name, qr/($pattern)/, sub { $new . $_[0] } );
}

# A definition of ours before a function, at the beginning of its line.
sub before_function {
    my ( $self, $name, $new ) = @_;
    my $f = $self->function($name);
    my $at = rindex( $self->{text}, "\n", $f->{from} ) + 1;
    substr( $self->{text}, $at, 0 ) = $new;
}

# An argument more at the end of a function's, in its definition and its declarations.
sub one_argument_more {
    my ( $self, $name, $argument ) = @_;
    my $text = $self->masked(1);
    my @at;
    push @at, $+[1] - 1 while $text =~ /^[a-z][\w\s*]*?\b\Q$name\E\s*(\((?:[^()]++|(?1))*\))\s*[;{]/gmi;
    die "$name: neither defined nor declared\n" if !@at;
    substr( $self->{text}, $_, 0 ) = ", $argument" for reverse @at;
}

# Other names for a function's own variables and arguments, not for members of structures.
sub rename_locals {
    my ( $self, $name, %names ) = @_;
    my $f = $self->function($name);
    my $length = $f->{to} - $f->{from};
    my $text = substr $self->masked(0), $f->{from}, $length;
    my $any = join '|', map { quotemeta } sort keys %names;
    for my $new ( values %names ) { die "$name: has a $new already\n" if $text =~ /\b\Q$new\E\b/ }
    for my $old ( keys %names )   { die "$name: has no $old\n"        if $text !~ /\b\Q$old\E\b/ }
    my @at;
    push @at, [ $-[1], $1 ] while $text =~ /(?<![\w.>])($any)\b/g;
    for my $place ( reverse @at ) {
        substr( $self->{text}, $f->{from} + $place->[0], length $place->[1] ) = $names{ $place->[1] };
    }
}

1;

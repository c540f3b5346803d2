# Which lines of a source the preprocessor would leave in, for a set of macros. Knows #if, #ifdef, #ifndef, #elif, #else,
# #endif and integer expressions; #define inside the source is not followed, for CORSIKA's options come from outside.
package Conditionals;
use strict;
use warnings;

# True where a condition holds. Macros that are not given count as 0.
sub holds {
    my ( $expression, $macros ) = @_;
    my $text = $expression;
    $text =~ s{/\*.*?\*/}{ }g;
    $text =~ s/\bdefined\s*\(?\s*(\w+)\s*\)?/exists $macros->{$1} ? 1 : 0/ge;
    $text =~ s/\b([A-Za-z_]\w*)\b/exists $macros->{$1} ? ( $macros->{$1} || 0 ) : 0/ge;
    $text =~ s/\b(\d+)[uUlL]+\b/$1/g;
    return 0 if $text !~ /^[\d\s()!&|<>=+*-]+$/;
    my $value = eval $text;
    return $value ? 1 : 0;
}

# For each line, in order, 1 where it is left in, else 0. Lines of directives count as their surroundings.
sub live {
    my ( $lines, $macros ) = @_;
    my @live;
    my @open;    # of each open #if: whether it is left in now, whether a branch was, whether the outside is
    my $now = 1;
    for my $line (@$lines) {
        if ( $line =~ /^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)/ ) {
            my ( $word, $rest ) = ( $1, $2 );
            if ( $word =~ /^if/ ) {
                my $name = $rest =~ /(\w+)/ ? $1 : '';
                my $true =
                    $word eq 'ifdef'  ? exists $macros->{$name}
                  : $word eq 'ifndef' ? !exists $macros->{$name}
                  :                     holds( $rest, $macros );
                push @live, $now;
                push @open, [ $true ? 1 : 0, $now ];
                $now = $now && $true ? 1 : 0;
                next;
            }
            die "a $word without #if\n" if !@open;
            my $top = $open[-1];
            push @live, $top->[1];
            if ( $word eq 'endif' ) { $now = $top->[1]; pop @open; next }
            my $true = !$top->[0] && ( $word eq 'else' || holds( $rest, $macros ) );
            $top->[0] ||= $true;
            $now = $top->[1] && $true ? 1 : 0;
            next;
        }
        push @live, $now;
    }
    return \@live;
}

1;

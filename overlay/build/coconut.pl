# Runs the coconut of a tree, unchanged, and answers its menus by option name: the keys differ between releases. `make`
# is left out, so that sources can be patched first.
# usage: perl coconut.pl configure OPTION...   in the tree
#        perl coconut.pl unknown OPTION...     prints those that its coconut does not have
#        perl coconut.pl out OPTION...         prints its options that are not selected with these
# What goes wrong is printed as "\001refused: WHY", the end of configure as "\001configured: STATUS".
use strict;
use warnings;

sub slurp { my ($name) = @_; open(my $file, '<', $name) or return ''; local $/; return <$file> }

# --- what coconut asks, read from its own text
my $text = slurp('coconut');
$text =~ s/^[ \t]*#.*\n//mg;
my (@entries, %question);
for my $piece (split /(?=\{name\s*=>)/, $text) {
  $piece = substr($piece, 0, 4000);
  my %entry = map { $_ => $piece =~ /\b$_\s*=>\s*"([^"]*)"/ ? $1 : '' } qw(name menu entry conflict required);
  push @entries, \%entry if $piece =~ /^\{name/ && $entry{name} ne '' && $entry{menu} ne '';
}
$question{$1} = $2 while $text =~ /(\w+)\s*=>\s*\{[^{}]*?\bquestion\s*=>\s*"([^"]+)"/g;

# The entry of this name; else the only one whose name differs from it in underscores and dashes alone.
sub entry_of {
  my ($name) = @_;
  my ($found) = grep { $_->{name} eq $name } @entries;
  my @like = grep { $_->{name} =~ tr/_-//dr eq $name =~ tr/_-//dr } @entries;
  return $found // (@like == 1 ? $like[0] : undef);
}

sub refuse { print "\n\001refused: @_\n"; exit 3 }

my ($work, @wanted) = @ARGV;
refuse('its coconut is not in a form that is known') if @entries < 10 || !$question{options};
if ($work eq 'unknown') { print map { "$_\n" } grep { !entry_of($_) } @wanted; exit }
if ($work eq 'out') {
  my (%in, %menus);
  my @names = @wanted;
  while (defined(my $name = shift @names)) {
    my $entry = entry_of($name) // next;
    push @names, split(' ', $entry->{required}) if !$in{ $entry->{name} }++;
    $menus{ $entry->{menu} } = 1;
  }
  # Of a menu that nothing is chosen from, coconut has a choice of its own; COASTUSERLIB comes with COREAS, too.
  my @out = grep { $_->{menu} eq 'options' || $menus{ $_->{menu} } } grep { !$in{ $_->{name} } } @entries;
  print map { "$_->{name}\n" } grep { $_->{name} ne 'COASTUSERLIB' } @out;
  exit;
}

# --- the dialogue
my $said = '';  # since the last answer
my ($menu, %asked) = ('');
my %chosen;     # entries by menu
for my $name (@wanted) {
  my $entry = entry_of($name) // refuse("this release's coconut has no option $name");
  push @{ $chosen{ $entry->{menu} } }, $entry;
}

sub line_with { my ($what) = @_; return $said =~ /^[ \t*]*(.*\Q$what\E.*?)[ \t\r*]*$/m ? $1 : '' }
sub key_of { my ($name, $otherwise) = @_; my $entry = entry_of($name); return $entry ? $entry->{entry} : $otherwise }

# The line does not name the option that was refused.
sub conflicts {
  my %pairs;
  for my $entry (map { entry_of($_) } @wanted) {
    for my $other (grep { my $each = $_; grep { $_ eq $each } @wanted } split ' ', $entry->{conflict}) {
      $pairs{ join(' and ', sort $entry->{name}, $other) . ' exclude each other' } = 1;
    }
  }
  return join(', ', sort keys %pairs);
}

sub answer {
  if (my $line = line_with('CONFLICT WITH')) {
    refuse('coconut refuses the options of this profile: ' . (conflicts() || $line) . '; leave one of them out');
  }
  for ('cannot be selected', 'ERROR: wrong choice', 'invalid input') {
    if (my $line = line_with($_)) { refuse("coconut refuses an option of this profile: $line") }
  }
  refuse('coconut misses a package: ' . line_with('full PATH') . '; is the tree whole?') if line_with('full PATH');
  my $tail = substr($said, -200) || $said;
  return "yes\n" if $tail =~ /yes or no/;
  if ($tail =~ /press '?Enter'?( to continue|\))/) {
    if (my $line = line_with('Error :')) { refuse("coconut: $line; is the tree whole?") }
    return "\n";
  }
  my $last = -1;
  for (keys %question) {
    my $at = rindex($said, $question{$_});
    ($last, $menu) = ($at, $_) if $at > $last;
  }
  refuse('coconut asks something unknown: ' . $tail =~ s/.*\n//sr) if $menu eq '';
  refuse("coconut asks again and again: $question{$menu}") if ++$asked{$menu} > ($menu eq 'options' ? 3 : 2);
  my @mine = @{ $chosen{$menu} // [] };
  if ($menu eq 'options') {
    return key_of('FINISH', 'z') . "\n" if $asked{options} > 1 || !@mine;
    return join(' ', map { $_->{entry} } grep { my $entry = $_; grep { $_ == $entry } @mine } @entries) . "\n";
  }
  return key_of('COMPILE', 'f') . "\n" if $menu eq 'finish';
  refuse("the profile asks for both $mine[0]{name} and $mine[1]{name}, and coconut takes one; correct its options")
    if @mine > 1;
  return "$mine[0]{entry}\n" if @mine;
  # Some releases would build for 32 bits where nothing else is said.
  return key_of('NOM32', '') . "\n" if $menu eq 'bits';
  refuse("the profile names no $1 energy interaction model; add one to its options")
    if ($menu eq 'hemodel' ? 'high' : $menu eq 'lemodel' ? 'low' : '') =~ /(.+)/;
  return "\n";
}

# --- coconut itself
open(my $out, '>&', \*STDOUT) or die;
$out->autoflush;
{
  package Said;
  sub TIEHANDLE { return bless [] }
  sub PRINT { my ($self, @words) = @_; $said .= join('', @words); return print {$out} @words }
  sub PRINTF { my ($self, $form, @values) = @_; return $self->PRINT(sprintf($form, @values)) }
  sub BINMODE { return 1 }
  sub FILENO { return 1 }
}
tie *STDOUT, 'Said';
no warnings 'once';
*CORE::GLOBAL::system = sub {
  my $command = join(' ', @_);
  return 0 if $command =~ /^\s*make\b/;
  my $status = CORE::system(@_);
  print "\001configured: $status\n" if $command =~ /^\s*\.\/configure\b/;
  return $status;
};
*CORE::GLOBAL::readline = sub (;*) {
  my $handle = shift;
  my $name = !defined $handle ? '' : ref($handle) eq '' ? $handle : *{$handle}{NAME};
  return CORE::readline($handle) if $name !~ /^(\*?main::)?STDIN$/;
  my $answer = answer();
  $said = '';
  print {$out} "[answer] $answer";
  return $answer;
};
@ARGV = ('--no-cache');
my $done = do './coconut';
die $@ if $@;
die "cannot run coconut: $!" if !defined $done && $!{ENOENT};

# A CORSIKA tree that is changed: its sources, read once and written together; the IACT package as a folder's files or as
# the archive that CORSIKA comes with.
package Tree;
use strict;
use warnings;
use File::Temp qw(tempdir);
use FixedForm;
use CSource;

# The options under which places are looked for: those that the Cherenkov stage stands under.
my %macros = map { $_ => 1 } qw(HAVE_CONFIG_H __CERENKOV__ __IACT__ __ATMEXT__ __SLANT__ __GFORTRAN__ __LONGI__);

sub open_tree {
    my ( $class, $root ) = @_;
    die "$root: no such folder\n"             if !-d $root;
    die "$root holds no src/corsika.F; give a CORSIKA tree\n" if !-f "$root/src/corsika.F";
    return bless { root => $root }, $class;
}

sub fortran {
    my ( $self, $path ) = @_;
    return $self->{files}{$path} ||= FixedForm->read( "$self->{root}/$path", \%macros );
}
sub corsika { $_[0]->fortran('src/corsika.F') }
sub commons { $_[0]->fortran('src/corsika.h') }

# A file of the IACT package: 'iact.c', 'atmo.c'.
sub package_file {
    my ( $self, $name ) = @_;
    return $self->{files}{"package/$name"} ||= CSource->read( $self->package_folder . "/$name", \%macros );
}

sub package_folder {
    my ($self) = @_;
    return $self->{package} if $self->{package};
    my $folder = "$self->{root}/bernlohr";
    return $self->{package} = $folder if -f "$folder/iact.c";
    my @archives = glob "\Q$folder\E/*.tar.gz";
    die "$folder holds no iact.c and not one archive\n" if @archives != 1;
    $self->{archive} = $archives[0];
    $self->{package} = tempdir( CLEANUP => 1 );
    system( 'tar', 'xzf', $self->{archive}, '-C', $self->{package} ) == 0 or die "cannot unpack $self->{archive}\n";
    -f "$self->{package}/iact.c" or die "$self->{archive} holds no iact.c\n";
    return $self->{package};
}

sub write {
    my ($self) = @_;
    $_->write for values %{ $self->{files} };
    return if !$self->{archive};
    my $new = "$self->{archive}.new";
    opendir my $dir, $self->{package} or die "cannot read $self->{package}: $!\n";
    my @names = sort grep { !/^\.\.?$/ } readdir $dir;
    system( 'tar', 'czf', $new, '-C', $self->{package}, '--owner=0', '--group=0', @names ) == 0
      or die "cannot pack $self->{archive}\n";
    rename $new, $self->{archive} or die "cannot rename $new: $!\n";
}

1;

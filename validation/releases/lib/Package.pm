# Changes of the IACT package (iact.c, atmo.c), which decides whether light hits a telescope and refracts it.
package Package;
use strict;
use warnings;

our @changes;

sub change {
    my ( $name, $kind, $text, $do ) = @_;
    push @changes, { name => $name, kind => $kind, area => 'iact', text => $text, do => $do };
}

# The function that compares with a telescope's radius: in_detector, where there is one.
sub hit_test_of {
    my ($f) = @_;
    return eval { $f->function('in_detector'); 1 } ? 'in_detector' : 'telout_';
}

# Where telout_ takes off the core's offset: the declaration of x and y.
my $ground = qr/double\s+x\s*=\s*\*px\s*-\s*impact_offset\[0\]\s*,\s*y\s*=\s*\*py\s*-\s*impact_offset\[1\]\s*;/;

change 'iact-rename-hit-test', 'harmless', 'in_detector: local variables have other names', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->rename_locals( 'in_detector', xd => 'x_at', yd => 'y_at', d2 => 'square_dist', det => 'tel' );
};
change 'iact-rename-telout', 'harmless', 'telout_: local variables and arguments have other names', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->rename_locals( 'telout_', sx => 'slope_x', sy => 'slope_y', kdet => 'j', bsize => 'photons_in' );
};
change 'iact-print', 'harmless', 'telout_: a message for negative light, which there is none of', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( 'telout_', qr/all_photons\s*\+=/,
        qq{if ( xphotons < 0. )\n      fprintf(stderr, "Bunch of %f photons\\n", xphotons);\n   } );
};
change 'iact-counter', 'harmless', 'telout_: a static counter of its calls, which nothing reads', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->before_function( 'telout_', "static long telout_calls = 0;\n\n" );
    $f->insert_before( 'telout_', qr/all_photons\s*\+=/, "telout_calls++;\n   " );
};
change 'iact-declarations', 'harmless', 'telout_: its variables are declared one by one, in another order', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->change( 'telout_', qr/double\s+u\s*=\s*\*pu\s*,\s*v\s*=\s*\*pv\s*,\s*sx\s*,\s*sy\s*;/,
        sub { "double sy;\n   double sx;\n   double v = *pv;\n   double u = *pu;" } );
};
change 'iact-new-function', 'harmless', 'a function more before telout_, which nothing calls', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->before_function( 'telout_',
        "double iact_mean_bunch(void);\n\ndouble iact_mean_bunch(void)\n{\n   return all_bunches > 0. ? all_photons/all_bunches : 0.;\n}\n\n" );
};
change 'iact-comments', 'harmless', 'telout_ and in_detector: comments', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->insert_before( 'telout_',     qr/all_bunches\s*\+=/, "/* Totals of the event. */\n   " );
    $f->insert_before( 'in_detector', qr/switch\b/,          "/* Depends on the shape. */\n   " );
};
change 'iact-hit-test-form', 'harmless', 'in_detector: the squared radius is computed before the comparison', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'in_detector', qr/if\s*\(\s*d2\s*>\s*(det->r0\s*\*\s*det->r0)\s*\)\s*return\s+0\s*;/,
        sub { "{\n            const double r2 = $_[0];\n            if ( d2 > r2 )\n               return 0;\n         }" } );
};
change 'iact-radius-member', 'followed', 'the fiducial spheres of all telescopes are 1.5 times as wide', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'set_random_systems', qr/\br0\s*=\s*rtel\[idet\]\s*;/, sub { 'r0 = 1.5*rtel[idet];' } );
};
change 'iact-footprint', 'followed', 'the shadows of the fiducial spheres, in which light is looked at, are smaller', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'set_random_systems', qr/(rtel\[idet\]\s*\/\s*cos\(theta\))\s*\*\s*1\.1\b/, sub { "$_[0] * 0.8" } );
};
change 'iact-wavelength', 'followed', 'telout_: bunches that are stored have a wavelength of 400 nm', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( 'telout_', qr/sx\s*=\s*u\s*\/\s*sqrt/, "wl = 400.;\n   " );
};
change 'iact-hit-wider', 'harmful', 'in_detector: light hits within twice the radius, and is looked at that far', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->change( hit_test_of($f), qr/([<>]=?\s*)(\w+->r0)\s*\*\s*\g2/, sub { "$_[0]4.*$_[1]*$_[1]" } );
    return if hit_test_of($f) eq 'telout_';
    $f->change( 'set_random_systems', qr/(rtel\[idet\]\s*\/\s*cos\(theta\))\s*\*\s*1\.1\b/, sub { "$_[0] * 2.2" } );
};
change 'iact-hit-margin', 'harmful', 'in_detector: light hits within half a metre more than the radius', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->change( hit_test_of($f), qr/([<>]=?\s*)(\w+->r0)\s*\*\s*\g2/, sub { "$_[0]($_[1]+50.)*($_[1]+50.)" } );
};
change 'iact-hit-shifted', 'harmful', 'in_detector: the sphere stands 3 m higher', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'in_detector', qr/xd\s*=\s*x\s*-\s*sx\s*\*\s*det->z0\s*;(\s*)yd\s*=\s*y\s*-\s*sy\s*\*\s*det->z0\s*;/,
        sub { "xd = x - sx*(det->z0+300.);$_[0]yd = y - sy*(det->z0+300.);" } );
};
change 'iact-hit-ground', 'harmful', 'in_detector: light that comes down in the shadow of the sphere hits, too', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'in_detector', qr/if\s*\(\s*d2\s*>\s*det->r0\s*\*\s*det->r0\s*\)/,
        sub { 'if ( d2 > det->r0*det->r0 && square(x-det->x)+square(y-det->y) > det->r*det->r )' } );
};
change 'iact-hit-by-height', 'harmful', 'telout_: light from below 8 km hits wherever it comes down in the shadow', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'telout_', qr/if\s*\(\s*\(\s*(rc\s*=\s*in_detector\(.*?\))\s*\)\s*!=\s*0\s*\)/s,
        sub { "if ( ($_[0]) != 0 || *zem < 8.e5 )" } );
};
change 'iact-position', 'harmful', 'telout_: light is taken a metre beside where it comes down', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'telout_', $ground, sub { 'double x = *px - impact_offset[0] + 100., y = *py - impact_offset[1];' } );
};
change 'iact-random-number', 'harmful', 'telout_: a random number is drawn for each bunch', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( 'telout_', qr/all_bunches\s*\+=/, "(void) rndm(0);\n   " );
};
change 'iact-photons', 'harmful', 'telout_: nine tenths of the light are counted in the sum of photons', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->change( 'telout_', qr/all_photons\s*\+=\s*([^;]+);/, sub { "all_photons += 0.9*($_[0]);" } );
};
change 'iact-bunches', 'harmful', 'telout_: bunches are counted only where they come down among the telescopes', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->change( 'telout_', qr/all_bunches\s*\+=\s*1\.0?\s*;/, sub { '' } );
    $f->insert_before( 'telout_', qr/sx\s*=\s*u\s*\/\s*sqrt/, "all_bunches += 1.;\n   " );
};
change 'iact-counter-printed', 'harmful', 'telout_: a static counter of its calls, which is printed as events end', sub {
    my ($t) = @_;
    my $f = $t->package_file('iact.c');
    $f->insert_before( 'telend_', qr/all_photons_run\s*\+=/, qq{printf("Calls of telout: %ld\\n", telout_calls);\n   } );
    $f->before_function( 'telout_', "static long telout_calls = 0;\n\n" );
    $f->insert_before( 'telout_', qr/all_photons\s*\+=/, "telout_calls++;\n   " );
};
change 'iact-last-bunch', 'harmful', 'telout_: of two bunches that follow each other at one place only the first is looked at', sub {
    my ($t) = @_;
    $t->package_file('iact.c')->insert_before( 'telout_', qr/sx\s*=\s*u\s*\/\s*sqrt/,
        "{\n      static double last_x = -1.e20;\n      if ( fabs(x-last_x) < 50. )\n         return 0;\n      last_x = x;\n   }\n   " );
};
change 'iact-refraction', 'followed', 'raybnd_: light is displaced a fifth more by refraction', sub {
    my ($t) = @_;
    $t->package_file('atmo.c')->change( 'raybnd_', qr/hori_off\s*=\s*-\s*(\(h\s*\*\s*h\).*?);/, sub { "hori_off = -1.2*$_[0];" } );
};
change 'iact-refraction-time', 'followed', 'raybnd_: light travels a nanosecond longer', sub {
    my ($t) = @_;
    $t->package_file('atmo.c')->change( 'raybnd_', qr/\*dt\s*\+=\s*travel_time\s*;/, sub { '*dt += travel_time + 1.;' } );
};
change 'iact-refraction-far', 'followed', 'raybnd_: light is displaced by 200 m', sub {
    my ($t) = @_;
    $t->package_file('atmo.c')->change( 'raybnd_', qr/(\*dx\s*\+=\s*hori_off\b)/, sub { "*dx += 2.e4;\n   $_[0]" } );
};

1;

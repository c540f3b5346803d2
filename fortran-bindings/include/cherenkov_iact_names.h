/* At the begin of the IACT package's own file: its routines TELOUT and TELEND get other names, so that
 * cherenkov_iact.h can stand in their place. Not where every bunch is written out, or telescopes are not looked up by
 * their footprint. */
#if !defined(IACT_NO_GRID) && !defined(CORSIKA_SAVES_PHOTONS) && !defined(EXTENDED_TELOUT)
#define CHERENKOV_WRAPS_IACT 1
#define telout_ cherenkov_stock_telout_
#define telend_ cherenkov_stock_telend_
#endif

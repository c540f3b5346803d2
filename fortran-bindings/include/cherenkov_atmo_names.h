/* At the beginning of the IACT package's atmosphere: its routine RAYBND gets another name, so that cherenkov_atmo.h
 * can stand in its place. */
#define raybnd_ cherenkov_stock_raybnd_

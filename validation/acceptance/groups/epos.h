#define __CACHE_EPOS__ /**/
#define __CACHE_GHEISHA__ /**/
#define __CACHE_VOLUMEDET__ /**/
#define __CACHE_CERENKOV__ /**/
#define __CACHE_IACT__ /**/
#define __CACHE_ATMEXT__ /**/

C=======================================================================
C  Declarations of the stand-in shower program, one block a guard.
C  A routine defines the guards of the blocks that it needs and then
C  includes this file; each block takes its guard away again.
C  Units: GeV, cm, ns, g/cm**2; heights above sea level; W down.
C  CERENK's COMMON variables are under the same guards as in CORSIKA.
C=======================================================================

@BLOCK CONSTA
      COMMON /STCONS/  PI,PI2
      DOUBLE PRECISION PI,PI2
      DOUBLE PRECISION AMEL,AMMU,VLIGHT
      PARAMETER        (AMEL = 0.51099895D-3,AMMU = 0.1056583755D0,VLIGHT = 29.9792458D0)

@BLOCK AIR
C  X0AIR radiation length, ZOVERA charge by mass
      DOUBLE PRECISION X0AIR,ZOVERA
      PARAMETER        (X0AIR = 36.62D0,ZOVERA = 0.49919D0)

@BLOCK ATMOS
C  five layers T = AATM + BATM*EXP(-H/CATM), the last one linear
      COMMON /STATMO/  AATM,BATM,CATM,DATM,HLAY,TLAY,HTOP
      DOUBLE PRECISION AATM(5),BATM(5),CATM(5),DATM(5),HLAY(6),TLAY(6),HTOP

@BLOCK ATMOSX
C  IATMOX: 0 the layers alone, 1 REFIDX is asked for the index of
C  refraction; FREFRX whether light is refracted
      COMMON /STATMX/  IATMOX,FREFRX
      INTEGER          IATMOX
      LOGICAL          FREFRX

@BLOCK OBSPAR
C  the one observation level. The core is at (XOFF,YOFF), in the frame
C  of a shower that begins at (0,0)
      COMMON /STOBSP/  OBSLEV,THCKOB,XOFF,YOFF,NOBSLV
      DOUBLE PRECISION OBSLEV(20),THCKOB(20),XOFF(20),YOFF(20)
      INTEGER          NOBSLV

@BLOCK PART
C  the particle in hand: 1 gamma, 2 e+, 3 e-, 5 mu+, 6 mu-
      COMMON /STPART/  EP,XP,YP,ZP,TP,UP,VP,WP,ITP,IGP
      DOUBLE PRECISION EP,XP,YP,ZP,TP,UP,VP,WP,DIR(3),PART(8)
      INTEGER          ITP,IGP,IPART(2)
      EQUIVALENCE      (PART,EP),(DIR,UP),(IPART,ITP)

@BLOCK STACK
C  rows of STCK: EP,XP,YP,ZP,TP,UP,VP,WP; of ISTCK: ITP,IGP
      INTEGER          MXSTCK
      PARAMETER        (MXSTCK = 20000)
      COMMON /STSTCK/  STCK,ISTCK,NSTCK
      DOUBLE PRECISION STCK(8,MXSTCK)
      INTEGER          ISTCK(2,MXSTCK),NSTCK

@BLOCK RUNPAR
C  THETLO,THETHI,PHILO,PHIHI in degrees, THETA,PHI in radians. ECUT:
C  least kinetic energies of hadrons (not used), muons, electrons and
C  photons.
C  ZFIRST: height of the first interaction, or where the first step of
C  a charged primary ends; 0 before. TOFFST: offset of all times.
C  NHADR: hadronic interactions. LPARO,
C  LTABO: values of PAROUT, particle file or not; LTABO is not used
      INTEGER          MXCARD
      PARAMETER        (MXCARD = 200)
      COMMON /STRUNP/  ELOW,EHIGH,SLOPE,THETLO,THETHI,PHILO,PHIHI,ECUT,ENERGY,THETA,PHI,ZFIRST,TOFFST,
     *                 NRUN,NSHOW,NEVT,IPRIM,NEVTNR,NCARD,NSEED,NHADR,LPARO,LTABO,DEBUG
      DOUBLE PRECISION ELOW,EHIGH,SLOPE,THETLO,THETHI,PHILO,PHIHI,ECUT(4),ENERGY,THETA,PHI,ZFIRST,TOFFST
      INTEGER          NRUN,NSHOW,NEVT,IPRIM,NEVTNR,NCARD,NSEED,NHADR
      LOGICAL          LPARO,LTABO,DEBUG
      COMMON /STRUNC/  CARDS,DIRNAM,TELNAM
      CHARACTER        CARDS(MXCARD)*132,DIRNAM*120,TELNAM*120

@BLOCK OUTBUF
C  one record of the particle file: 21 sub-blocks of 273 words
      INTEGER          LENSUB,NUMSUB,LENBUF
      PARAMETER        (LENSUB = 273,NUMSUB = 21,LENBUF = LENSUB*NUMSUB)
      COMMON /STOUTB/  OUTBUF,PBLOCK,RUNH,EVTH,EVTE,NSUBS,NPBLK,NPTOT
      REAL             OUTBUF(LENBUF),PBLOCK(LENSUB),RUNH(LENSUB),EVTH(LENSUB),EVTE(LENSUB)
      INTEGER          NSUBS,NPBLK,NPTOT(6)

@BLOCK LONGI
C  PLONG(.,k): k = 1 gamma, 2 e+, 3 e-, 4 mu+, 5 mu-, 6 and 8 none,
C  7 charged, 9 light. Bin I ends RLONG(I) cm along the axis, at the
C  height HLONG(I); (X,Y,Z) is X*STHCPH+Y*STHSPH-Z*CTH+RLOFF cm along it
      INTEGER          LNGMAX
      PARAMETER        (LNGMAX = 3000)
      COMMON /STLONG/  PLONG,HLONG,THSTEP,THSTPI,NSTEP,LLONGI
      DOUBLE PRECISION PLONG(0:LNGMAX,9),HLONG(0:LNGMAX),THSTEP,THSTPI
      INTEGER          NSTEP
      LOGICAL          LLONGI
      COMMON /STAXIS/  RLONG,CTH,STHCPH,STHSPH,RLOFF
      DOUBLE PRECISION RLONG(0:LNGMAX),CTH,STHCPH,STHSPH,RLOFF

@BLOCK SLANT
C  depth TSLANT after PATH1 cm of the axis
      INTEGER          MXSLNT
      PARAMETER        (MXSLNT = 1000)
      COMMON /STSLNT/  PATH1,TSLANT
      DOUBLE PRECISION PATH1(MXSLNT),TSLANT(MXSLNT)

@BLOCK PARPAR
C  C(25) velocity of light in cm/s; bunches with direction cosine W
C  < C(29) (0.1) are dropped
      COMMON /STPARP/  C
      DOUBLE PRECISION C(50)

@BLOCK EGSDEB
C  CORSIKA writes lines into the log then, as with LCERDB, DEBUG
      COMMON /STEGSD/  FEGSDB
      LOGICAL          FEGSDB

@BLOCK CEREN1
C  ETADSN (index - 1)/density; CYIELD photons a cm for a
C  squared sine of 1; CERSIZ photons a bunch holds at most
      COMMON /STCER1/  ETADSN,CERSIZ,WAVLGL,WAVLGU,CYIELD,LCERDB
      DOUBLE PRECISION ETADSN,CERSIZ,WAVLGL,WAVLGU,CYIELD
      LOGICAL          LCERDB

@BLOCK CEREN2
C  the bunch in hand: photons, where it leaves, where it arrives
      COMMON /STCER2/  PHOTCM,XEMIS,YEMIS,ZEMIS,XSTEP,YSTEP,ZSTEP,XSTEP2,YSTEP2,ZSTEP2,UEMIS,VEMIS,WEMIS,XCER,YCER,
     *                 CARTIM,WL
      DOUBLE PRECISION PHOTCM,XEMIS,YEMIS,ZEMIS,XSTEP,YSTEP,ZSTEP,XSTEP2,YSTEP2,ZSTEP2,UEMIS,VEMIS,WEMIS,XCER,YCER,
     *                 CARTIM,WL

@BLOCK CERTOT
C  of the event: photons and bunches that came down, bunches that hit
      COMMON /STCERT/  PHOTOT,BUNTOT,BUNTEL
      DOUBLE PRECISION PHOTOT,BUNTOT,BUNTEL

@BLOCK TEL
C  spheres; NCOPY copies, scattered by XSCAT,YSCAT
      INTEGER          MXTEL,MXCOPY
      PARAMETER        (MXTEL = 100,MXCOPY = 100)
      COMMON /STTELE/  TELX,TELY,TELZ,TELR,XSCAT,YSCAT,NTEL,NCOPY
      DOUBLE PRECISION TELX(MXTEL),TELY(MXTEL),TELZ(MXTEL),TELR(MXTEL),XSCAT,YSCAT
      INTEGER          NTEL,NCOPY

@BLOCK MAGANG
C  angle between the telescopes' and the showers' frame, in radians
      COMMON /STMAGA/  ARRANG,COSANG,SINANG
      DOUBLE PRECISION ARRANG,COSANG,SINANG
@BLOCK CONEX
C  with CONEX, FINCNX: numbers are drawn from the sequence LSEQ
      COMMON /STCNXF/  FINCNX
      LOGICAL          FINCNX

@BLOCK RANDPA
      DOUBLE PRECISION RD(3000),FAC,U1,U2
      INTEGER          NSEQ,ISEED(3,9)
      LOGICAL          KNOR
      COMMON /CRRANDPA/ RD, FAC, U1, U2, NSEQ, ISEED, KNOR

@BLOCK RANMA3
C  constants of the generator; KSEQ sequences are kept
      DOUBLE PRECISION CD, CINT, CM, TWOM24, TWOM48
      INTEGER          KSEQ, MODCNS
@ELSE __MULTITHIN__ |       PARAMETER ( KSEQ=16 ) |       PARAMETER ( KSEQ=9 )
      COMMON /CRRANMA3/ CD, CINT, CM, TWOM24, TWOM48, MODCNS

@BLOCK RANMA4
C  state of the generator; UNI: in which the routine computes the number
      DOUBLE PRECISION U(97,KSEQ), C(KSEQ), UNI
      INTEGER          JSEQ, IJKL(KSEQ), NTOT(KSEQ), NTOT2(KSEQ),I97(KSEQ), J97(KSEQ)
      COMMON /CRRANMA4/ C, U, IJKL, I97, J97, NTOT, NTOT2, JSEQ

C  Stand-in for the file of CONEX of that name: the sequence number
C  lseq. That of a tree comes first.
      integer iseedcx,lseq
      common /cxseed/ iseedcx(3,2),lseq

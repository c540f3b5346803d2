      integer iseedcx,lseq
      common /cxseed/ iseedcx(3,2),lseq

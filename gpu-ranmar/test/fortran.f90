! The C interface from Fortran, by ISO_C_BINDING.
program ranmar_fortran
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    function ranmar_create(generator, form, sequences, backend) bind(c) result(status)
      import :: c_ptr, c_int, c_char
      type(c_ptr), intent(out) :: generator
      integer(c_int), value :: form, sequences
      character(kind=c_char), intent(in) :: backend(*)
      integer(c_int) :: status
    end function
    function ranmar_seed(generator, sequence, ijkl, skip) bind(c) result(status)
      import :: c_ptr, c_int, c_int32_t, c_int64_t
      type(c_ptr), value :: generator
      integer(c_int), value :: sequence
      integer(c_int32_t), value :: ijkl
      integer(c_int64_t), value :: skip
      integer(c_int) :: status
    end function
    function ranmar_fill(generator, sequence, out, n) bind(c) result(status)
      import :: c_ptr, c_int, c_double, c_size_t
      type(c_ptr), value :: generator
      integer(c_int), value :: sequence
      real(c_double), intent(out) :: out(*)
      integer(c_size_t), value :: n
      integer(c_int) :: status
    end function
    subroutine ranmar_destroy(generator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: generator
    end subroutine
  end interface

  integer(c_int), parameter :: form_48_bit = 48
  type(c_ptr) :: generator
  real(c_double) :: numbers(1000000)

  call need(ranmar_create(generator, form_48_bit, 1_c_int, 'auto' // c_null_char))
  call need(ranmar_seed(generator, 1_c_int, 54217137_c_int32_t, 0_c_int64_t))
  call need(ranmar_fill(generator, 1_c_int, numbers, size(numbers, kind=c_size_t)))
  print '(a,f17.15,a,f8.6)', 'first ', numbers(1), ', mean ', sum(numbers) / size(numbers)
  call ranmar_destroy(generator)

contains

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop 'libranmar failed'
  end subroutine need

end program ranmar_fortran

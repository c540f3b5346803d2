# Installs BUILD to a fresh folder, builds the consumer against it, and runs it: found by CMake, and by pkg-config, from
# where all that the static library needs comes.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
foreach(step
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${prefix}"
    "${CMAKE_COMMAND};-S;${CMAKE_CURRENT_LIST_DIR};-B;${WORK}/build;-DCMAKE_PREFIX_PATH=${prefix};-DCMAKE_CXX_FLAGS=${FLAGS};-DCMAKE_C_FLAGS=${FLAGS}"
    "${CMAKE_COMMAND};--build;${WORK}/build"
    "${WORK}/build/consumer_static" "${WORK}/build/consumer_shared"
    "${WORK}/build/consumer_cpp_static" "${WORK}/build/consumer_cpp_shared"
    "${CMAKE_COMMAND};-S;${CMAKE_CURRENT_LIST_DIR};-B;${WORK}/build-shared;-DCMAKE_PREFIX_PATH=${prefix};-DSHARED_ONLY=ON"
    "${CMAKE_COMMAND};--build;${WORK}/build-shared"
    "${WORK}/build-shared/consumer_shared" "${WORK}/build-shared/consumer_cpp_shared")
  execute_process(COMMAND ${step} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(status)
    message(FATAL_ERROR "${step}: ${status}\n${text}")
  endif()
endforeach()

find_program(PKG_CONFIG pkg-config REQUIRED)
file(GLOB_RECURSE pc ${prefix}/ranmar.pc)
cmake_path(GET pc PARENT_PATH pc)
set(kinds static shared)
set(options --static "")
set(libraries -l:libranmar.a -lranmar)
foreach(kind option library IN ZIP_LISTS kinds options libraries)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc} ${PKG_CONFIG} ${option} --cflags --libs ranmar
                  OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "-lranmar" ${library} words "${words}")
  separate_arguments(words UNIX_COMMAND "${words} ${FLAGS}")
  execute_process(COMMAND cc -o ${WORK}/pkg-config-${kind} ${CMAKE_CURRENT_LIST_DIR}/main.c ${words} COMMAND_ERROR_IS_FATAL ANY)
  cmake_path(GET pc PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK}/pkg-config-${kind}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()

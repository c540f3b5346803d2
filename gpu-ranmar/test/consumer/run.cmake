# Installs BUILD to a fresh folder, builds the consumer against it, and runs it.
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

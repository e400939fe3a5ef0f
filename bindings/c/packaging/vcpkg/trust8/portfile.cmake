# Builds the checkout that this port lies in. A port for vcpkg's registry has vcpkg_from_git here instead.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../../.." ABSOLUTE)
find_program(CARGO cargo PATHS "$ENV{HOME}/.cargo/bin" REQUIRED)
set(VCPKG_BUILD_TYPE release)

vcpkg_execute_required_process(
    COMMAND "${CMAKE_COMMAND}" -E env "CARGO=${CARGO}" "CARGO_TARGET_DIR=${CURRENT_BUILDTREES_DIR}/target"
        bash "${SOURCE_PATH}/bindings/c/install.sh" "${CURRENT_PACKAGES_DIR}"
    WORKING_DIRECTORY "${SOURCE_PATH}"
    LOGNAME "install-${TARGET_TRIPLET}")

# vcpkg has packages of CMake in share/, a folder less deep.
file(COPY "${CURRENT_PACKAGES_DIR}/lib/cmake/trust8" DESTINATION "${CURRENT_PACKAGES_DIR}/share")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake")
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/trust8/trust8-config.cmake" "/../../.." "/../..")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/bindings/c/LICENSE-MIT" "${SOURCE_PATH}/bindings/c/LICENSE-APACHE")

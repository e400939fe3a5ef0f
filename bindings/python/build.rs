//! Tells the compiler which Python the package is for, as `cfg(Py_3_14)`.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}

#!/bin/sh
# Calls the compiler for cargo, and enables the next trait solver for some crates of DataFusion.
#
#   RUSTC_WRAPPER=$PWD/crates/datafusion/next-solver.sh cargo test --manifest-path crates/datafusion/Cargo.toml
#
# The stable solver proves again for each async method that a query plan is `Send`. That is most of the time that these crates
# take. The next solver remembers the proof.
case " $* " in
    *" --crate-name datafusion "* | *" --crate-name datafusion_catalog "* | \
        *" --crate-name datafusion_catalog_listing "* | *" --crate-name datafusion_session "*)
        RUSTC_BOOTSTRAP=1 exec "$@" -Znext-solver=globally
        ;;
esac
exec "$@"

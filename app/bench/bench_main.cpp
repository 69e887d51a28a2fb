#include "app/bench/bench_line.h"
#include "app/main/last_catch.h"

int main(int argc, char** argv) {
    return lacuna::cli::runGuarded(lacuna::cli::runBench, argc, argv);
}

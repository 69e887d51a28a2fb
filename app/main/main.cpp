#include "app/main/command_line.h"

int main(int argc, char** argv) { return lacuna::cli::run(argc, argv); }

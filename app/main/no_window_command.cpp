#include "app/main/cli_support.h"
#include "app/main/window_command.h"

namespace lacuna::cli {
namespace {

int refuse() {
    return report(
        Error{ErrorCode::Unsupported,
              "this program was built without its window; `lacuna --help` lists what it can do",
              {}});
}

}  // namespace

int window(int, char**, const WindowArguments&) {
    return refuse();
}
int demo(int, char**, const WindowArguments&) {
    return refuse();
}

}  // namespace lacuna::cli

#include "app/serve/serve_options.h"

#include <algorithm>
#include <utility>

namespace lacuna::app {

std::vector<std::string> namesIn(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        std::string name = list.substr(at, end - at);
        at = end + 1;
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

}  // namespace lacuna::app

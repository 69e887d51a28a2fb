// The arrows between rooms, read from include lines, and the house rules that a compiler does not know.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

// A room may include itself and what its line names.
const std::map<std::string, Names>& arrows() {
    static const std::map<std::string, Names> table{
        {"engine/base", {}},
        {"engine/tensor", {"engine/base"}},
        {"engine/kernels", {"engine/base", "engine/tensor"}},
        {"engine/linalg", {"engine/base", "engine/tensor"}},
        {"engine/text", {"engine/base"}},
        {"engine/grammar", {"engine/base", "engine/text"}},
        {"engine/format", {"engine/base", "engine/tensor", "engine/text"}},
        {"engine/kv", {"engine/base", "engine/tensor", "engine/kernels"}},
        {"engine/compress", {"engine/base", "engine/tensor", "engine/kernels", "engine/linalg", "engine/kv"}},
        {"engine/model", {"engine/base", "engine/tensor", "engine/kernels", "engine/format", "engine/kv"}},
        {"engine/generate",
         {"engine/base", "engine/tensor", "engine/kernels", "engine/text", "engine/kv", "engine/compress",
          "engine/model", "engine/format", "engine/grammar"}},
        {"engine/session",
         {"engine/base", "engine/tensor", "engine/kernels", "engine/text", "engine/grammar", "engine/format",
          "engine/kv", "engine/compress", "engine/model", "engine/generate", "engine/quality"}},
        {"engine/quality",
         {"engine/base", "engine/tensor", "engine/kernels", "engine/text", "engine/format", "engine/kv",
          "engine/compress", "engine/model", "engine/generate"}},
        {"engine/report",
         {"engine/base", "engine/session", "engine/text", "engine/kv", "engine/compress", "engine/generate"}},
        {"app/state", {"engine/base", "engine/session", "engine/report"}},
        {"ui", {"app/state"}},
        {"app/main",
         {"app/state", "ui", "engine/session", "engine/report", "engine/quality", "engine/base",
          // the command line is also a bench for single rooms
          "engine/format", "engine/text", "engine/model", "engine/kv", "engine/generate", "engine/tensor",
          "engine/kernels", "engine/compress"}},
    };
    return table;
}

struct Source {
    fs::path path;
    std::string room;
    std::string text;
};

std::string roomOf(const std::string& relative) {
    const auto first = relative.find('/');
    if (relative.rfind("ui/", 0) == 0) return "ui";
    const auto second = relative.find('/', first + 1);
    return relative.substr(0, second);
}

const std::vector<Source>& sources() {
    static const std::vector<Source> all = [] {
        std::vector<Source> found;
        const fs::path root = LACUNA_SOURCE_DIR;
        for (const char* top : {"engine", "app", "ui"}) {
            for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
                const std::string extension = entry.path().extension().string();
                if (extension != ".h" && extension != ".cpp" && extension != ".inl") continue;
                std::ifstream file(entry.path());
                std::stringstream text;
                text << file.rdbuf();
                const std::string relative = fs::relative(entry.path(), root).generic_string();
                found.push_back({relative, roomOf(relative), text.str()});
            }
        }
        return found;
    }();
    return all;
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(Layering, includes_followOnlyTheArrows) {
    static const std::regex include(R"re(^\s*#\s*include\s+"((?:engine|app|ui)/[^"]+)")re");
    int seen = 0;
    for (const Source& source : sources()) {
        const auto allowed = arrows().find(source.room);
        ASSERT_NE(allowed, arrows().end()) << source.path << " lies in a room the table does not know";
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, include)) continue;
            ++seen;
            const std::string target = roomOf(match[1].str());
            EXPECT_TRUE(target == source.room || allowed->second.count(target) > 0)
                << source.path << " includes " << match[1] << ": no arrow from " << source.room << " to " << target;
        }
    }
    EXPECT_GT(seen, 50);
}

TEST(Layering, engine_knowsNoQt) {
    for (const Source& source : sources()) {
        if (source.room.rfind("engine/", 0) != 0) continue;
        EXPECT_EQ(source.text.find("#include <Q"), std::string::npos) << source.path;
    }
}

TEST(Layering, fileNames_areUniqueInTheTree) {
    std::map<std::string, std::string> seen;
    for (const Source& source : sources()) {
        const auto [at, fresh] = seen.emplace(source.path.filename().string(), source.path.string());
        EXPECT_TRUE(fresh) << source.path << " and " << at->second;
    }
}

// tl::expected 1.0 is not itself nodiscard: a dropped result would compile silently.
TEST(HouseRules, functionsReturningResults_areNodiscardInHeaders) {
    static const std::regex declaration(R"(^\s*(static\s+|virtual\s+|friend\s+)*(Result<.*>|Status)\s+\w+\()");
    for (const Source& source : sources()) {
        if (source.path.extension() != ".h") continue;
        std::string previous;
        for (const std::string& line : linesOf(source.text)) {
            if (std::regex_search(line, declaration) && line.find("friend") == std::string::npos) {
                EXPECT_TRUE(line.find("[[nodiscard]]") != std::string::npos ||
                            previous.find("[[nodiscard]]") != std::string::npos)
                    << source.path << ": " << line;
            }
            previous = line;
        }
    }
}

TEST(HouseRules, headers_startWithPragmaOnce) {
    for (const Source& source : sources()) {
        if (source.path.extension() != ".h") continue;
        // Highway includes a body once per instruction set, under a guard of its own.
        if (source.text.find("HWY_TARGET_TOGGLE") != std::string::npos) continue;
        EXPECT_EQ(source.text.rfind("#pragma once", 0), 0U) << source.path;
    }
}

// Live charts are fed with replace(); append() on a series costs a scan of all its points, and the OpenGL
// path draws nothing into exported pictures.
TEST(HouseRules, windows_neverUseOpenGlSeries) {
    for (const Source& source : sources()) {
        if (source.room != "ui") continue;
        EXPECT_EQ(source.text.find("setUseOpenGL"), std::string::npos) << source.path;
    }
}

// A machine at its limit gives no thread: std::jthread throws then, QThreadPool waits for ever. Only
// startThread (thread_start.h) makes a value of it; loading does where it asks for a future.
TEST(HouseRules, threads_areStartedThroughStartThreadAlone) {
    static const std::regex start(
        R"(std::j?thread\s*(\w+\s*)?[({]\s*\[|std::async|QThreadPool|QtConcurrent|pthread_create)");
    const Names allowed{"thread_start.h", "load_model.cpp"};
    for (const Source& source : sources()) {
        if (allowed.count(source.path.filename().string()) > 0) continue;
        for (const std::string& line : linesOf(source.text))
            EXPECT_FALSE(std::regex_search(line, start)) << source.path << ": " << line;
    }
}

// QSaveFile 6.4 was seen to replace a good file by an empty one on a full disk.
TEST(HouseRules, files_areNeverWrittenThroughQSaveFile) {
    for (const Source& source : sources())
        EXPECT_EQ(source.text.find("QSaveFile"), std::string::npos) << source.path;
}

}  // namespace

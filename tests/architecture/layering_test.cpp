// The allowed dependencies between modules, read from include lines, and house rules that a
// compiler does not check.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/architecture/source_files.h"

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

// Returns the includes that each module may have in addition to its own.
const std::map<std::string, Names>& arrows() {
    static const std::map<std::string, Names> table{
        {"engine/base", {}},
        {"engine/values", {"engine/base"}},
        {"engine/tensor", {"engine/base"}},
        {"engine/kernels", {"engine/base", "engine/values", "engine/tensor"}},
        {"engine/linalg", {"engine/base", "engine/tensor"}},
        {"engine/recurrent", {"engine/base", "engine/tensor", "engine/kernels"}},
        {"engine/text", {"engine/base"}},
        {"engine/template", {"engine/base", "engine/text"}},
        {"engine/grammar", {"engine/base", "engine/text"}},
        {"engine/format",
         {"engine/base", "engine/tensor", "engine/recurrent", "engine/text", "engine/template"}},
        {"engine/kv",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/recurrent"}},
        {"engine/compress",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/linalg",
          "engine/kv"}},
        {"engine/prefix",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/linalg",
          "engine/kv", "engine/compress"}},
        {"engine/model",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/recurrent",
          "engine/format", "engine/kv"}},
        {"engine/generate",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/text",
          "engine/template", "engine/kv", "engine/compress", "engine/model", "engine/format",
          "engine/grammar"}},
        // plain options and facts of the modules below: no forward pass, no model file
        {"engine/settings",
         {"engine/base", "engine/values", "engine/tensor", "engine/kv", "engine/compress",
          "engine/model", "engine/generate"}},
        {"engine/session",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/text",
          "engine/template", "engine/grammar", "engine/format", "engine/kv", "engine/prefix",
          "engine/compress", "engine/model", "engine/generate", "engine/settings",
          "engine/quality"}},
        {"engine/quality",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/text",
          "engine/template", "engine/format", "engine/linalg", "engine/kv", "engine/compress",
          "engine/prefix", "engine/model", "engine/generate"}},
        // the thread of the engine: no forward pass, no cache
        {"engine/host", {"engine/base", "engine/settings", "engine/session"}},
        {"engine/report",
         {"engine/base", "engine/values", "engine/settings", "engine/session", "engine/host",
          "engine/text", "engine/kv", "engine/compress", "engine/generate"}},
        {"app/state",
         {"engine/base", "engine/values", "engine/settings", "engine/session", "engine/host",
          "engine/report",
          // tables measured by lacuna-bench
          "engine/quality"}},
        {"app/serve",
         {"app/state", "engine/base", "engine/values", "engine/settings", "engine/session",
          "engine/host",
          // its responses depend on tokens, templates and grammars of the current model
          "engine/text", "engine/template", "engine/format", "engine/model", "engine/generate"}},
        // replaces the local engine: the same commands and events
        {"app/remote", {"app/state", "engine/base", "engine/session", "engine/host"}},
        // downloads are inspected before they count as models
        {"app/hub", {"app/state", "engine/base", "engine/format"}},
        {"ui", {"app/state", "app/remote", "app/hub", "engine/values"}},
        {"app/main",
         {"app/state", "app/serve", "app/hub", "ui", "engine/settings", "engine/session",
          "engine/host", "engine/report", "engine/quality", "engine/base", "engine/values",
          // the command line is also a benchmark of single modules
          "engine/format", "engine/text", "engine/template", "engine/model", "engine/kv",
          "engine/prefix", "engine/generate", "engine/tensor", "engine/kernels",
          "engine/compress"}},
        {"app/bench",
         {"app/main", "engine/settings", "engine/session", "engine/host", "engine/quality",
          "engine/base", "engine/values", "engine/format", "engine/text", "engine/template",
          "engine/model", "engine/kv", "engine/prefix", "engine/generate", "engine/tensor",
          "engine/kernels", "engine/linalg", "engine/compress"}},
    };
    return table;
}

/// Returns the includes that modules within a module may have. The outer module may include all of
/// them; for other modules they are part of it.
const std::map<std::string, Names>& innerArrows() {
    static const std::map<std::string, Names> table{
        {"app/state/chat",
         {"app/state", "app/state/engine", "app/state/files", "app/state/storage"}},
        {"app/state/engine", {"app/state"}},
        {"app/state/experiments",
         {"app/state", "app/state/engine", "app/state/models", "app/state/settings"}},
        {"app/state/files", {"app/state"}},
        {"app/state/models",
         {"app/state", "app/state/chat", "app/state/engine", "app/state/files",
          "app/state/telemetry"}},
        {"app/state/report",
         {"app/state", "app/state/engine", "app/state/files", "app/state/telemetry"}},
        {"app/state/server", {"app/state", "app/state/files"}},
        {"app/state/settings",
         {"app/state", "app/state/engine", "app/state/experiments", "app/state/files",
          "app/state/telemetry"}},
        {"app/state/storage", {"app/state", "app/state/chat", "app/state/files"}},
        {"app/state/telemetry", {"app/state", "app/state/chat", "app/state/engine"}},
        {"engine/compress/driver", {"engine/compress", "engine/compress/matching"}},
        {"engine/compress/matching", {"engine/compress"}},
        {"engine/compress/transform", {"engine/compress/matching"}},
        {"engine/kv/eviction", {"engine/kv"}},
        {"engine/kv/slot", {"engine/kv"}},
        {"engine/kv/state", {"engine/kv"}},
        {"engine/kv/window", {"engine/kv", "engine/kv/slot"}},
        {"engine/session/jobs", {"engine/session"}},
        {"ui/charts", {"ui/style"}},
        {"ui/chat", {"ui/charts", "ui/style", "ui/window"}},
        {"ui/pages", {"ui/charts", "ui/panels", "ui/style", "ui/window"}},
        {"ui/panels", {"ui/charts", "ui/chat", "ui/style", "ui/window"}},
        {"ui/report", {"ui/charts", "ui/chat", "ui/style"}},
        {"ui/style", {}},
        {"ui/window", {"ui/charts", "ui/chat", "ui/pages", "ui/panels", "ui/report", "ui/style"}},
    };
    return table;
}

struct Source {
    fs::path path;
    std::string module;
    std::string text;
};

std::string moduleOf(const std::string& relative) {
    const auto first = relative.find('/');
    if (relative.rfind("ui/", 0) == 0) return "ui";
    const auto second = relative.find('/', first + 1);
    return relative.substr(0, second);
}

const std::vector<Source>& sources() {
    static const std::vector<Source> all = [] {
        std::vector<Source> found;
        for (auto& file : lacuna::test::sourceFiles({"engine", "app", "ui"}))
            found.push_back({file.path, moduleOf(file.path), std::move(file.text)});
        return found;
    }();
    return all;
}

using lacuna::test::linesOf;

TEST(Layering, includes_followTheModuleDependencies) {
    static const std::regex include(R"re(^\s*#\s*include\s+"((?:engine|app|ui)/[^"]+)")re");
    int seen = 0;
    for (const Source& source : sources()) {
        const auto allowed = arrows().find(source.module);
        ASSERT_NE(allowed, arrows().end())
            << source.path << " lies in a module the table does not know";
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, include)) continue;
            ++seen;
            const std::string target = moduleOf(match[1].str());
            EXPECT_TRUE(target == source.module || allowed->second.count(target) > 0)
                << source.path << " includes " << match[1] << ": no arrow from " << source.module
                << " to " << target;
        }
    }
    EXPECT_GT(seen, 50);
}

/// Returns the folder of a source, as named in the table of inner modules.
std::string folderOf(const std::string& relative) {
    return relative.substr(0, relative.rfind('/'));
}

TEST(Layering, includes_followTheSubmoduleDependencies) {
    static const std::regex include(R"re(^\s*#\s*include\s+"((?:engine|app|ui)/[^"]+)")re");
    int seen = 0;
    for (const Source& source : sources()) {
        if (moduleOf(source.path.string()) == folderOf(source.path.string())) continue;
        const std::string folder = folderOf(source.path.string());
        const auto allowed = innerArrows().find(folder);
        ASSERT_NE(allowed, innerArrows().end())
            << source.path << " lies in a module the table does not know";
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, include) ||
                moduleOf(match[1].str()) != source.module)
                continue;
            ++seen;
            const std::string target = folderOf(match[1].str());
            EXPECT_TRUE(target == folder || allowed->second.count(target) > 0)
                << source.path << " includes " << match[1] << ": no arrow from " << folder << " to "
                << target;
        }
    }
    EXPECT_GT(seen, 20);
}

TEST(Layering, engine_doesNotIncludeQt) {
    for (const Source& source : sources()) {
        if (source.module.rfind("engine/", 0) != 0) continue;
        EXPECT_EQ(source.text.find("#include <Q"), std::string::npos) << source.path;
    }
}

// tl::expected 1.0 is not itself nodiscard: a dropped result would compile silently.
TEST(CodingRules, functionsReturningResults_areNodiscardInHeaders) {
    static const std::regex declaration(
        R"(^\s*(static\s+|virtual\s+|friend\s+)*(Result<.*>|Status)\s+\w+\()");
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

TEST(CodingRules, headers_startWithPragmaOnce) {
    for (const Source& source : sources()) {
        if (source.path.extension() != ".h") continue;
        // Highway includes a body once per instruction set, under a guard of its own.
        if (source.text.find("HWY_TARGET_TOGGLE") != std::string::npos) continue;
        EXPECT_EQ(source.text.rfind("#pragma once", 0), 0U) << source.path;
    }
}

// The linker merges two types with the same name in one namespace, whatever their layouts.
TEST(CodingRules, typesInHeaders_haveUniqueNamesInTheirNamespace) {
    static const std::regex space(R"(^namespace ([\w:]+) \{)");
    static const std::regex definition(
        R"(^(?:struct|class|enum class|union)\s+(\w+)\b(?!::)[^;]*\{)");
    std::map<std::string, std::string> seen;
    for (const Source& source : sources()) {
        if (source.path.extension() != ".h") continue;
        std::string within;
        for (const std::string& line : linesOf(source.text)) {
            std::smatch found;
            if (std::regex_search(line, found, space)) within = found[1];
            if (!std::regex_search(line, found, definition)) continue;
            const auto [at, fresh] =
                seen.emplace(within + "::" + found[1].str(), source.path.string());
            // Within one file they are specialisations, which the compiler distinguishes.
            EXPECT_TRUE(fresh || at->second == source.path.string())
                << at->first << " in " << source.path << " and " << at->second;
        }
    }
    EXPECT_GT(seen.size(), 300U);
}

// Live charts use replace(): append() on a series scans all its points. The OpenGL path draws
// nothing into exported pictures.
TEST(CodingRules, windows_neverUseOpenGlSeries) {
    for (const Source& source : sources()) {
        if (source.module != "ui") continue;
        EXPECT_EQ(source.text.find("setUseOpenGL"), std::string::npos) << source.path;
    }
}

// Qt treats a text with tags as rich text and loads its images, so a label or tool tip must not
// leave that choice open for names from a file. All labels come from plainLabel(), all tool tips
// from tipText(), and a text edit loads nothing.
TEST(CodingRules, windowTexts_areNeverInterpretedAsRichText) {
    struct Rule {
        const char* what;
        std::regex refused;
    };
    static const Rule rules[] = {
        {"a label whose format is open; plainLabel() makes one",
         std::regex(R"(\b(Q|Yielding)Label\s*[({]|\b(Q|Yielding)Label\s+\w+\s*[({;])")},
        {"a row with a label of Qt's own", std::regex(R"(addRow\(\s*(tr\(|QString))")},
        {"a message box whose format is open",
         std::regex(R"(QMessageBox::(information|warning|critical|question|about)\s*\()")},
        {"a tool tip that did not go through tipText()",
         std::regex(
             R"(setToolTip\((?!\s*(\d+\s*,\s*)?(tipText\(|QString\(\)|(\w+\.)?action->toolTip\(\))))")},
        {"a tool tip that did not go through tipText()",
         std::regex(R"(QToolTip::showText\((?![^;]*tipText\()[^;]*;)")},
        {"a tool tip that did not go through tipText()",
         std::regex(R"(case Qt::ToolTipRole:(?![^;]*tipText\()[^;]*;)")},
        {"a document",
         std::regex(
             R"(setHtml\(|insertHtml\(|appendHtml\(|setMarkdown\(|insertMarkdown\(|Qt::RichText|Qt::AutoText|Qt::MarkdownText)")},
        {"a widget that takes its text for a document",
         std::regex(
             R"(\bQErrorMessage\b|\bQProgressDialog\b|\bQWhatsThis\b|setWhatsThis\(|\bQGraphicsTextItem\b|\bQSplashScreen\b)")},
        {"a text edit that loads what its text names",
         std::regex(R"(new\s+Q(TextEdit|TextBrowser)\b)")},
    };
    int labels = 0;
    for (const Source& source : sources()) {
        if (source.module != "ui") continue;
        if (source.path.stem() == "widget_roles") continue;  // defines plainLabel()
        // The report page shows our own HTML, in which every text is escaped and which loads only
        // embedded images.
        if (source.path.filename() == "report_page.cpp") continue;
        for (const Rule& rule : rules) {
            std::smatch match;
            EXPECT_FALSE(std::regex_search(source.text, match, rule.refused))
                << source.path << " has " << rule.what << ": " << match.str();
        }
        const bool box = source.text.find("new QMessageBox") != std::string::npos;
        EXPECT_TRUE(!box || source.text.find("setTextFormat(Qt::PlainText)") != std::string::npos)
            << source.path;
        static const std::regex edit(R"(public\s+Q(TextEdit|TextBrowser)\b)");
        const bool edits = std::regex_search(source.text, edit);
        EXPECT_TRUE(!edits || source.text.find("loadResource(") != std::string::npos)
            << source.path;
        labels += source.text.find("plainLabel(") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(labels, 10) << "the rule looks at something";
}

// When the system refuses a thread, std::jthread throws and QThreadPool waits forever. Only
// startThread (thread_start.h) returns an error; loading handles it where it requests a future.
TEST(CodingRules, threads_areStartedThroughStartThreadOnly) {
    static const std::regex start(
        R"(std::j?thread\s*(\w+\s*)?[({]\s*\[|std::async|QThreadPool|QtConcurrent|pthread_create)");
    const Names allowed{"thread_start.h", "load_model.cpp"};
    for (const Source& source : sources()) {
        if (allowed.count(source.path.filename().string()) > 0) continue;
        for (const std::string& line : linesOf(source.text))
            EXPECT_FALSE(std::regex_search(line, start)) << source.path << ": " << line;
    }
}

// Clang checks only the mutex of mutex.h and would ignore a standard one or Qt's.
TEST(CodingRules, mutexes_areOfTheAnnotatedType) {
    static const std::regex other(
        R"(std::\w*mutex\b|std::condition_variable|std::(scoped|unique|shared)_lock|std::lock_guard|\bQMutex|QReadWriteLock|QWaitCondition)");
    for (const Source& source : sources()) {
        if (source.path.filename() == "mutex.h") continue;
        for (const std::string& line : linesOf(source.text))
            EXPECT_FALSE(std::regex_search(line, other)) << source.path << ": " << line;
    }
}

// On a full disk QSaveFile 6.4 was observed to replace a good file by an empty one.
TEST(CodingRules, files_areNeverWrittenThroughQSaveFile) {
    for (const Source& source : sources())
        EXPECT_EQ(source.text.find("QSaveFile"), std::string::npos) << source.path;
}

// A design note named in a comment exists and has the headings that the comment quotes.
TEST(CodingRules, designNotes_haveTheHeadingsCitedInComments) {
    static const std::regex fold(R"(\n\s*//+ ?)");
    static const std::regex note(R"re(docs/([a-z-]+\.md)((?:, "[^"]+")*))re");
    static const std::regex quoted(R"re("([^"]+)")re");
    const std::sregex_iterator end{};
    int seen = 0;
    for (const Source& source : sources()) {
        if (source.text.find("docs/") == std::string::npos) continue;
        const std::string text = std::regex_replace(source.text, fold, " ");
        for (std::sregex_iterator found(text.begin(), text.end(), note); found != end; ++found) {
            ++seen;
            const std::string name = (*found)[1].str();
            std::ifstream file(LACUNA_SOURCE_DIR "/docs/" + name);
            EXPECT_TRUE(file.good()) << source.path << " names " << name;
            std::stringstream notes;
            notes << file.rdbuf();
            const std::string headings = (*found)[2].str();
            for (std::sregex_iterator one(headings.begin(), headings.end(), quoted); one != end;
                 ++one)
                EXPECT_NE(notes.str().find("# " + (*one)[1].str() + "\n"), std::string::npos)
                    << source.path << " quotes " << (*one)[1] << " of " << name;
        }
    }
    EXPECT_GT(seen, 50);
}

// Every module has a description next to its files, and every file named in it exists.
TEST(CodingRules, everyModuleReadme_describesTheModuleAndNamesExistingFiles) {
    static const std::regex quoted(R"(`([\w./-]+\.(?:h|cpp|md))`)");
    const std::sregex_iterator end{};
    for (const auto& [module, others] : arrows()) {
        const fs::path folder = fs::path(LACUNA_SOURCE_DIR) / module;
        std::ifstream file(folder / "README.md");
        std::string title;
        std::getline(file, title);
        EXPECT_EQ(title, "# " + module);
        std::stringstream rest;
        rest << file.rdbuf();
        const std::string text = rest.str();
        EXPECT_GT(text.size(), 150U) << module;
        for (std::sregex_iterator found(text.begin(), text.end(), quoted); found != end; ++found) {
            const std::string name = (*found)[1].str();
            EXPECT_TRUE(fs::exists(folder / name) || fs::exists(fs::path(LACUNA_SOURCE_DIR) / name))
                << module << "/README.md names " << name;
        }
    }
}

// Files written through engine/base are synced, replaced atomically, and leave no temporary files.
TEST(CodingRules, files_areCreatedInTheBaseModuleOnly) {
    for (const Source& source : sources()) {
        if (source.module == "engine/base") continue;
        for (const char* way : {"ofstream", "std::fopen(", "mkstemp(", "mkostemp("})
            EXPECT_EQ(source.text.find(way), std::string::npos) << source.path << " " << way;
    }
}

}  // namespace

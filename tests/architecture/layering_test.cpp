// The arrows between rooms, read from include lines, and the house rules that a compiler does not
// know.

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
        {"engine/values", {"engine/base"}},
        {"engine/tensor", {"engine/base"}},
        {"engine/kernels", {"engine/base", "engine/values", "engine/tensor"}},
        {"engine/linalg", {"engine/base", "engine/tensor"}},
        {"engine/text", {"engine/base"}},
        {"engine/template", {"engine/base", "engine/text"}},
        {"engine/grammar", {"engine/base", "engine/text"}},
        {"engine/format", {"engine/base", "engine/tensor", "engine/text", "engine/template"}},
        {"engine/kv", {"engine/base", "engine/values", "engine/tensor", "engine/kernels"}},
        {"engine/compress",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/linalg",
          "engine/kv"}},
        {"engine/prefix",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/linalg",
          "engine/kv", "engine/compress"}},
        {"engine/model",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/format",
          "engine/kv"}},
        {"engine/generate",
         {"engine/base", "engine/values", "engine/tensor", "engine/kernels", "engine/text",
          "engine/template", "engine/kv", "engine/compress", "engine/model", "engine/format",
          "engine/grammar"}},
        // plain options and facts of the rooms below: no forward pass, no file of a model
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
        // the thread around the engine: no forward pass, no cache
        {"engine/host", {"engine/base", "engine/settings", "engine/session"}},
        {"engine/report",
         {"engine/base", "engine/values", "engine/settings", "engine/session", "engine/host",
          "engine/text", "engine/kv", "engine/compress", "engine/generate"}},
        {"app/state",
         {"engine/base", "engine/values", "engine/settings", "engine/session", "engine/host",
          "engine/report",
          // tables that lacuna-bench measured
          "engine/quality"}},
        {"app/serve",
         {"app/state", "engine/base", "engine/values", "engine/settings", "engine/session",
          "engine/host",
          // its answers are about texts: tokens, templates, grammars of the model in use
          "engine/text", "engine/template", "engine/format", "engine/model", "engine/generate"}},
        // it stands in for the local engine: the same commands and events
        {"app/remote", {"app/state", "engine/base", "engine/session", "engine/host"}},
        // what arrives is looked at before it is called a model
        {"app/hub", {"app/state", "engine/base", "engine/format"}},
        {"ui", {"app/state", "app/remote", "app/hub", "engine/values"}},
        {"app/main",
         {"app/state", "app/serve", "app/hub", "ui", "engine/settings", "engine/session",
          "engine/host", "engine/report", "engine/quality", "engine/base", "engine/values",
          // the command line is also a bench for single rooms
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

/// Rooms within a room, and what of it they may include; the room around them may include all of
/// them, and to the other rooms they are it.
const std::map<std::string, Names>& innerArrows() {
    static const std::map<std::string, Names> table{
        {"engine/kv/slot", {"engine/kv"}},
        {"engine/kv/window", {"engine/kv", "engine/kv/slot"}},
        {"engine/kv/eviction", {"engine/kv"}},
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
        ASSERT_NE(allowed, arrows().end())
            << source.path << " lies in a room the table does not know";
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, include)) continue;
            ++seen;
            const std::string target = roomOf(match[1].str());
            EXPECT_TRUE(target == source.room || allowed->second.count(target) > 0)
                << source.path << " includes " << match[1] << ": no arrow from " << source.room
                << " to " << target;
        }
    }
    EXPECT_GT(seen, 50);
}

/// The folder of a source, as the table of inner rooms names it.
std::string folderOf(const std::string& relative) {
    return relative.substr(0, relative.rfind('/'));
}

TEST(Layering, innerRooms_followTheirOwnArrows) {
    static const std::regex include(R"re(^\s*#\s*include\s+"(engine/[^"]+)")re");
    int seen = 0;
    for (const Source& source : sources()) {
        if (roomOf(source.path.string()) == folderOf(source.path.string()) ||
            source.room.rfind("engine/", 0) != 0)
            continue;
        const std::string folder = folderOf(source.path.string());
        const auto allowed = innerArrows().find(folder);
        ASSERT_NE(allowed, innerArrows().end())
            << source.path << " lies in a room the table does not know";
        for (const std::string& line : linesOf(source.text)) {
            std::smatch match;
            if (!std::regex_search(line, match, include) || roomOf(match[1].str()) != source.room)
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

TEST(Layering, engine_knowsNoQt) {
    for (const Source& source : sources()) {
        if (source.room.rfind("engine/", 0) != 0) continue;
        EXPECT_EQ(source.text.find("#include <Q"), std::string::npos) << source.path;
    }
}

TEST(Layering, fileNames_areUniqueInTheTree) {
    std::map<std::string, std::string> seen;
    for (const Source& source : sources()) {
        const auto [at, fresh] =
            seen.emplace(source.path.filename().string(), source.path.string());
        EXPECT_TRUE(fresh) << source.path << " and " << at->second;
    }
}

// tl::expected 1.0 is not itself nodiscard: a dropped result would compile silently.
TEST(HouseRules, functionsReturningResults_areNodiscardInHeaders) {
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

TEST(HouseRules, headers_startWithPragmaOnce) {
    for (const Source& source : sources()) {
        if (source.path.extension() != ".h") continue;
        // Highway includes a body once per instruction set, under a guard of its own.
        if (source.text.find("HWY_TARGET_TOGGLE") != std::string::npos) continue;
        EXPECT_EQ(source.text.rfind("#pragma once", 0), 0U) << source.path;
    }
}

// Two types of one name in one namespace are one type to the linker, whatever their layouts.
TEST(HouseRules, typesInHeaders_haveANameOfTheirOwnInTheirNamespace) {
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
            // In one file they are specialisations, and the compiler sees both.
            EXPECT_TRUE(fresh || at->second == source.path.string())
                << at->first << " in " << source.path << " and " << at->second;
        }
    }
    EXPECT_GT(seen.size(), 300U);
}

// Live charts are fed with replace(); append() on a series costs a scan of all its points, and the
// OpenGL path draws nothing into exported pictures.
TEST(HouseRules, windows_neverUseOpenGlSeries) {
    for (const Source& source : sources()) {
        if (source.room != "ui") continue;
        EXPECT_EQ(source.text.find("setUseOpenGL"), std::string::npos) << source.path;
    }
}

// Qt takes a text with tags for a document, and loads the pictures it names: a label or a tool tip
// with a name out of a file must not leave that choice open. All labels come from plainLabel(), all
// tool tips from tipText(), and a text edit loads nothing.
TEST(HouseRules, textsOfTheWindow_areNeverTakenForDocuments) {
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
        if (source.room != "ui") continue;
        if (source.path.stem() == "widget_roles") continue;  // where plain labels are made
        // The page of a report as a document: our own HTML, in which every text was escaped, and
        // which loads nothing but the pictures inside it.
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

// A machine at its limit gives no thread: std::jthread throws then, QThreadPool waits for ever.
// Only startThread (thread_start.h) makes a value of it; loading does where it asks for a future.
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

// What clang checks is a mutex of mutex.h; a standard one, or Qt's, would be read over.
TEST(HouseRules, mutexes_areThoseThatClangChecks) {
    static const std::regex other(
        R"(std::\w*mutex\b|std::condition_variable|std::(scoped|unique|shared)_lock|std::lock_guard|\bQMutex|QReadWriteLock|QWaitCondition)");
    for (const Source& source : sources()) {
        if (source.path.filename() == "mutex.h") continue;
        for (const std::string& line : linesOf(source.text))
            EXPECT_FALSE(std::regex_search(line, other)) << source.path << ": " << line;
    }
}

// QSaveFile 6.4 was seen to replace a good file by an empty one on a full disk.
TEST(HouseRules, files_areNeverWrittenThroughQSaveFile) {
    for (const Source& source : sources())
        EXPECT_EQ(source.text.find("QSaveFile"), std::string::npos) << source.path;
}

// Where a comment names a design note, the note is there, with the headings that the comment
// quotes.
TEST(HouseRules, designNotes_haveTheHeadingsThatCommentsQuote) {
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

// A newcomer finds out what a room is for where its files lie, and every file named there exists.
TEST(HouseRules, everyRoom_saysWhatItIs_andNamesFilesThatExist) {
    static const std::regex quoted(R"(`([\w./-]+\.(?:h|cpp|md))`)");
    const std::sregex_iterator end{};
    for (const auto& [room, others] : arrows()) {
        const fs::path folder = fs::path(LACUNA_SOURCE_DIR) / room;
        std::ifstream file(folder / "README.md");
        std::string title;
        std::getline(file, title);
        EXPECT_EQ(title, "# " + room);
        std::stringstream rest;
        rest << file.rdbuf();
        const std::string text = rest.str();
        EXPECT_GT(text.size(), 150U) << room;
        for (std::sregex_iterator found(text.begin(), text.end(), quoted); found != end; ++found) {
            const std::string name = (*found)[1].str();
            EXPECT_TRUE(fs::exists(folder / name) || fs::exists(fs::path(LACUNA_SOURCE_DIR) / name))
                << room << "/README.md names " << name;
        }
    }
}

// What engine/base writes is synced, takes its place whole and leaves nothing after.
TEST(HouseRules, filesAreMadeInOneRoomOnly) {
    for (const Source& source : sources()) {
        if (source.room == "engine/base") continue;
        for (const char* way : {"ofstream", "std::fopen(", "mkstemp(", "mkostemp("})
            EXPECT_EQ(source.text.find(way), std::string::npos) << source.path << " " << way;
    }
}

}  // namespace

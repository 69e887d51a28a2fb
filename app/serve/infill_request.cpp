#include "app/serve/infill_request.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

/// Fill-in-the-middle marks as spelled by different vocabularies: Qwen and others, StarCoder and
/// Granite, DeepSeek, Code Llama.
struct GapMarks {
    std::optional<TokenId> before, after, here;
    std::optional<TokenId> repository, file;  ///< present in few models
};

std::optional<TokenId> markIn(const Tokenizer& tokenizer,
                              std::initializer_list<std::string_view> spellings) {
    for (const std::string_view one : spellings)
        if (const auto id = tokenizer.find(one)) return id;
    return std::nullopt;
}

GapMarks gapMarksOf(const Tokenizer& tokenizer) {
    return {markIn(tokenizer, {"<|fim_prefix|>", "<fim_prefix>", "<fim-prefix>", "<｜fim▁begin｜>",
                               "▁<PRE>", "<PRE>"}),
            markIn(tokenizer, {"<|fim_suffix|>", "<fim_suffix>", "<fim-suffix>", "<｜fim▁hole｜>",
                               "▁<SUF>", "<SUF>"}),
            markIn(tokenizer, {"<|fim_middle|>", "<fim_middle>", "<fim-middle>", "<｜fim▁end｜>",
                               "▁<MID>", "<MID>"}),
            markIn(tokenizer, {"<|repo_name|>", "<|fim_repo|>", "<fim-repo>", "<reponame>"}),
            markIn(tokenizer, {"<|file_sep|>", "<file_sep>"})};
}

class GapPrompt {
  public:
    GapPrompt(const Tokenizer& tokenizer, const StopRequested& stop)
        : tokenizer_(tokenizer), marks_(gapMarksOf(tokenizer)), stop_(stop) {}

    /// Control tokens spelled in the text are not recognised.
    void addText(std::vector<TokenId>& to, const std::string& text) {
        auto ids = tokenizer_.encode(text, {.stop = stop_});
        if (!ids)
            error_ = apiErrorOf(ids.error());
        else
            to.insert(to.end(), ids->begin(), ids->end());
    }
    void addFile(std::vector<TokenId>& to, const std::string& name, const std::string& text) {
        if (marks_.file) {
            to.push_back(*marks_.file);
            addText(to, name + "\n");
        } else {
            addText(to, "\n\n");
        }
        addText(to, text);
    }
    [[nodiscard]] bool knowsGaps() const { return marks_.before && marks_.after && marks_.here; }
    [[nodiscard]] const GapMarks& marks() const { return marks_; }
    [[nodiscard]] const std::optional<ApiError>& error() const { return error_; }

  private:
    const Tokenizer& tokenizer_;
    const GapMarks marks_;
    const StopRequested& stop_;
    std::optional<ApiError> error_;
};

struct GapFile {
    std::string name, text;
};

std::vector<GapFile> readFiles(JsonFields& fields) {
    std::vector<GapFile> files;
    const OrderedJson* const list = fields.find("input_extra");
    if (list == nullptr) return files;
    if (!list->is_array()) {
        fields.refuse("input_extra", "input_extra has to be a list of files", "TYPE");
        return files;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string place = format("input_extra[{}]", i);
        if (!(*list)[i].is_object()) {
            fields.refuse(place, format("{} has to be an object", place), "TYPE");
            break;
        }
        JsonFields file((*list)[i], place + ".");
        const auto text = file.text("text");
        if (!text && !file.error()) file.refuse("text", format("{}.text is missing", place));
        const auto name = file.text("filename");
        if (file.error()) {
            fields.refuse(*file.error());
            break;
        }
        files.push_back({name.value_or("file"), *text});
    }
    return files;
}

/// Returns the tokens of the whole prompt with at most `room` of them from files.
std::vector<TokenId> joined(const std::vector<TokenId>& files, std::size_t room,
                            const std::vector<TokenId>& gap) {
    std::vector<TokenId> all(
        files.end() - static_cast<std::ptrdiff_t>(std::min(room, files.size())), files.end());
    all.insert(all.end(), gap.begin(), gap.end());
    return all;
}

}  // namespace

ApiResult<RequestedInfill> completionOfInfill(const OrderedJson& asked, const Tokenizer& tokenizer,
                                              int context, int answerTokens,
                                              const StopRequested& stop) {
    JsonFields fields(asked);
    const auto before = fields.text("input_prefix");
    const auto after = fields.text("input_suffix");
    const auto begun = fields.text("prompt");
    for (const auto& [name, text] : {std::pair{"input_prefix", &before}, {"input_suffix", &after}})
        if (!*text && !fields.error()) fields.refuse(name, format("{} is missing", name));
    const std::vector<GapFile> files = readFiles(fields);
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());

    GapPrompt prompt(tokenizer, stop);
    if (!prompt.knowsGaps())
        return tl::unexpected<ApiError>(ApiError{
            .status = 501,
            .message = "this model does not support infill: its vocabulary has no infill tokens",
            .code = "UNSUPPORTED"});
    std::vector<TokenId> extra;
    if (prompt.marks().repository && !files.empty()) {
        extra.push_back(*prompt.marks().repository);
        prompt.addText(extra, "project\n");
    }
    for (const GapFile& file : files) prompt.addFile(extra, file.name, file.text);
    std::vector<TokenId> gap;
    if (!extra.empty() && prompt.marks().file) prompt.addFile(gap, "file", "");
    const TokenizerData& data = tokenizer.data();
    if (data.addBos && data.bos) gap.push_back(*data.bos);
    gap.push_back(*prompt.marks().before);
    prompt.addText(gap, *before);
    gap.push_back(*prompt.marks().after);
    prompt.addText(gap, *after);
    gap.push_back(*prompt.marks().here);
    prompt.addText(gap, begun.value_or(""));
    if (prompt.error()) return tl::unexpected<ApiError>(*prompt.error());

    RequestedInfill result{.completion = asked, .warnings = {}};
    const auto wanted = fields.integer("n_predict", -1, 1'000'000).value_or(answerTokens);
    const auto all = static_cast<std::size_t>(context);
    const std::size_t answer =
        std::min<std::size_t>(wanted < 0 ? all : static_cast<std::size_t>(wanted), all / 4);
    const std::size_t taken = gap.size() + answer + 1;
    const std::size_t room = taken < all ? all - taken : 0;
    if (extra.size() > room)
        result.warnings.push_back(format(
            "input_extra has {} tokens and does not fit the context: its first {} were left out",
            extra.size(), extra.size() - room));
    for (const char* own : {"input_prefix", "input_suffix", "input_extra"})
        result.completion.erase(own);
    result.completion["prompt"] = joined(extra, room, gap);
    return result;
}

}  // namespace lacuna::app

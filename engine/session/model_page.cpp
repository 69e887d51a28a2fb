#include "engine/session/model_page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/format/describe_model.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/generate/surrogate_file.h"
#include "engine/quality/precision_measurement.h"
#include "engine/session/memory_plan.h"
#include "engine/settings/compaction_reach.h"

namespace lacuna {
namespace {

/// "29.8 MiB"; below 1 KiB "312 B".
std::string bytesText(std::int64_t bytes) {
    constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024.0;
    std::size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return format("{:.1f} {}", value, kUnits[unit]);
}

std::string parametersText(std::int64_t count) {
    const double millions = static_cast<double>(count) / 1e6;
    return millions < 1000 ? format("{:.1f} M", millions) : format("{:.2f} B", millions / 1e3);
}

const OrderedJson* member(const OrderedJson& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(name);
    return at == object.end() || at->is_null() ? nullptr : &*at;
}

/// Formats integers in groups of three digits, and other numbers with as few digits as distinguish
/// them.
std::string realText(double value) {
    constexpr double kWhole = 1e15;  // above this, not every integer is a double
    const bool whole = std::abs(value) < kWhole && value == std::trunc(value);
    return whole ? grouped(static_cast<std::int64_t>(value)) : format("{}", value);
}

std::string textOf(const OrderedJson& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_number_integer()) return grouped(value.get<std::int64_t>());
    if (value.is_number()) return realText(value.get<double>());
    return dumpJson(value);
}

/// Words of member names that are written in capitals.
constexpr std::array<std::string_view, 7> kCapitals{"kv", "qk", "qkv", "rms", "bos", "eos", "nfc"};

/// "layers" -> "Layers", "kv_heads" -> "KV heads".
std::string labelOf(std::string_view key) {
    std::string label;
    while (!key.empty()) {
        const std::string_view word = key.substr(0, key.find('_'));
        key.remove_prefix(std::min(key.size(), word.size() + 1));
        const bool capitals = std::ranges::find(kCapitals, word) != kCapitals.end();
        for (const char c : word) {
            const bool raised = capitals || label.empty();
            label += raised && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        if (!key.empty()) label += ' ';
    }
    return label;
}

std::string reasonText(const OrderedJson& holder) {
    const OrderedJson* reason = member(holder, "reason");
    const OrderedJson* text = reason == nullptr ? nullptr : member(*reason, "text");
    return text == nullptr ? std::string() : textOf(*text);
}

/// Returns "MODEL_SHAPE: sentence", as in a refused load.
std::string refusalText(const OrderedJson& holder) {
    const OrderedJson* reason = member(holder, "reason");
    const OrderedJson* code = reason == nullptr ? nullptr : member(*reason, "code");
    return (code == nullptr ? std::string() : textOf(*code) + ": ") + reasonText(holder);
}

/// Fills sections from the members of an inspection; absent members produce no line.
class PageWriter {
  public:
    explicit PageWriter(const OrderedJson& json) : json_(json) {}

    ModelPage write(const std::filesystem::path& path) {
        page_.path = path.string();
        page_.supported = json_.value("supported", false);
        page_.reason = reasonText(json_);
        const OrderedJson* name = member(json_, "name");
        page_.heading =
            name != nullptr && !textOf(*name).empty() ? textOf(*name) : path.filename().string();
        addModel();
        addMembers("Shape", "shape");
        addAttention();
        addTensors();
        addCache();
        addTokenizer();
        addPlan();
        addNotes();
        return std::move(page_);
    }

  private:
    void begin(std::string title) { page_.sections.push_back({std::move(title), {}}); }
    void line(std::string label, std::string value) {
        page_.sections.back().lines.push_back({std::move(label), std::move(value)});
    }
    void end() {
        if (page_.sections.back().lines.empty()) page_.sections.pop_back();
    }
    void lineOf(const char* key, const char* label, const char* unit = "") {
        if (const OrderedJson* value = member(json_, key)) line(label, textOf(*value) + unit);
    }
    [[nodiscard]] std::int64_t number(const OrderedJson& object, const char* key) const {
        const OrderedJson* value = member(object, key);
        return value != nullptr && value->is_number() ? value->get<std::int64_t>() : 0;
    }

    void addModel() {
        begin("Model");
        line("File", page_.path);
        line("Loads", page_.supported ? "yes" : format("no: {}", refusalText(json_)));
        lineOf("architecture", "Architecture");
        lineOf("container", "Container");
        if (const std::int64_t bytes = number(json_, "bytes"); bytes > 0)
            line("Size", bytesText(bytes));
        if (const std::int64_t count = number(json_, "parameters"); count > 0)
            line("Parameters", parametersText(count));
        lineOf("file_type", "File type");
        lineOf("context", "Trained context", " tokens");
        line("Licence", member(json_, "licence") != nullptr
                            ? textOf(json_["licence"])
                            : std::string("not stated in the file"));
        lineOf("fingerprint", "Fingerprint");
        end();
    }

    void addMembers(std::string title, const char* key) {
        const OrderedJson* object = member(json_, key);
        if (object == nullptr) return;
        begin(std::move(title));
        for (const auto& [name, value] : object->items())
            if (!value.is_null()) line(labelOf(name), textOf(value));
        end();
    }

    void addAttention() {
        begin("Computation");
        for (const char* key : {"tied_embeddings",
                                "qkv_bias",
                                "qk_norm",
                                "qk_norm_after_rope",
                                "norms",
                                "parallel_residual",
                                "activation",
                                "gate",
                                "rms_epsilon",
                                "layer_norm_epsilon",
                                "sliding_window",
                                "attention_chunk",
                                "sliding_layers",
                                "attention_sinks",
                                "layers_without_rope",
                                "attention_soft_cap",
                                "logit_soft_cap",
                                "embedding_scale",
                                "residual_scale",
                                "attention_scale",
                                "logit_scale"})
            lineOf(key, labelOf(key).c_str());
        addExperts();
        lineOf("eviction_policy", "Eviction policy");
        lineOf("precision", "Precision");
        for (const char* key : {"rope", "local_rope"})
            if (const OrderedJson* rope = member(json_, key)) line(labelOf(key), ropeLine(*rope));
        end();
    }
    void addExperts() {
        const OrderedJson* experts = member(json_, "experts");
        if (experts == nullptr) return;
        line("Experts",
             format("{}, {} per token, inner width {}", grouped(number(*experts, "count")),
                    grouped(number(*experts, "per_token")),
                    grouped(number(*experts, "feed_forward"))));
    }
    [[nodiscard]] static std::string ropeLine(const OrderedJson& rope) {
        std::string text;
        for (const auto& [name, value] : rope.items())
            text += format("{}{} {}", text.empty() ? "" : ", ", name, textOf(value));
        return text;
    }

    void addTensors() {
        begin("Tensors");
        if (const OrderedJson* types = member(json_, "types"))
            for (const OrderedJson& type : *types)
                line(textOf(type["type"]),
                     format("{} tensors, {}", grouped(number(type, "tensors")),
                            bytesText(number(type, "bytes"))));
        end();
    }

    void addCache() {
        const OrderedJson* types = member(json_, "kv_bytes_per_token");
        if (types == nullptr) return;
        begin("KV cache, bytes per token");
        for (const auto& [name, value] : types->items())
            line(name, format("{} ({})", grouped(value.get<std::int64_t>()),
                              bytesText(value.get<std::int64_t>())));
        end();
    }

    void addTokenizer() {
        begin("Text");
        if (const OrderedJson* tokenizer = member(json_, "tokenizer")) {
            if (const std::string reason = reasonText(*tokenizer); !reason.empty())
                line("Tokenizer", format("not usable: {}", reason));
            else
                for (const auto& [name, value] : tokenizer->items())
                    line(name == "kind" ? "Tokenizer" : labelOf(name), textOf(value));
        }
        if (page_.supported) line("Chat template", templateLine());
        end();
    }
    [[nodiscard]] std::string templateLine() const {
        const OrderedJson* chat = member(json_, "chat_template");
        if (chat == nullptr) return "none in the file; a built-in one is used";
        if (const std::string reason = reasonText(*chat); !reason.empty())
            return format("not usable: {}", reason);
        const OrderedJson* note = member(*chat, "note");
        return format("{} bytes{}{}", grouped(number(*chat, "bytes")), note == nullptr ? "" : "; ",
                      note == nullptr ? "" : textOf(*note));
    }

    /// "4 conversations, a second copy of 1/4 of each, a shadow, at most 512.0 MiB of caches".
    [[nodiscard]] std::string heldAtOnce(const OrderedJson& plan) const {
        const std::int64_t count = number(plan, "conversations");
        std::string text = format("{} conversation{}", count, count == 1 ? "" : "s");
        if (const double copies = plan.value("background_copies", 0.0); copies > 0)
            text += format(", compacted in the background ({:.0f} % extra each)", copies * 100);
        if (plan.value("shadow", false)) text += ", the uncompressed cache of live quality";
        if (const std::int64_t limit = number(plan, "limit_bytes"); limit > 0)
            text += format(", at most {} of caches", bytesText(limit));
        return text;
    }

    void addPlan() {
        const OrderedJson* plan = member(json_, "memory_plan");
        if (plan == nullptr) return;
        begin("Memory plan for this machine");
        line("Memory", format("{} free of {}", bytesText(number(*plan, "available_bytes")),
                              bytesText(number(*plan, "memory_bytes"))));
        line("Weights",
             format("{}, copied from the file", bytesText(number(*plan, "weight_bytes"))));
        line("Activations",
             format("{} for steps of {} tokens", bytesText(number(*plan, "activation_bytes")),
                    grouped(number(*plan, "prefill_tokens"))));
        line("Caches", heldAtOnce(*plan));
        for (const OrderedJson& cache : (*plan)["caches"])
            line(format("{} cache", textOf(cache["type"])),
                 format("{} at the trained context, {} in all, {}",
                        bytesText(number(cache, "bytes_at_trained_context")),
                        bytesText(number(cache, "bytes_of_all")),
                        cache.value("fits", false)
                            ? std::string("fits")
                            : format("room for {} tokens",
                                     grouped(number(cache, "largest_context")))));
        page_.verdict = textOf((*plan)["verdict"]);
        line("Verdict", page_.verdict);
        end();
    }

    void addNotes() {
        begin("Notes");
        if (const OrderedJson* notes = member(json_, "notes"))
            for (const OrderedJson& note : *notes) line("", textOf(note));
        end();
    }

    const OrderedJson& json_;
    ModelPage page_;
};

}  // namespace

Result<OrderedJson> inspectModel(const std::filesystem::path& path, const MachineFacts& machine,
                                 const EngineConfig& config,
                                 const std::filesystem::path& measurements) {
    LACUNA_TRY(OrderedJson json, describeModel(path));
    if (!json.value("supported", false)) return json;
    LACUNA_TRY(const ModelContainer model, openModel(path));
    const MemoryPlan plan = planMemory(model.spec, machine, config);
    for (const CachePlan& cache : plan.caches)
        json["kv_bytes_per_token"][cache.type] = cache.bytesPerToken;
    json["memory_plan"] = memoryPlanJson(plan);
    const auto surrogate = loadSurrogate(path, model.spec);
    ModelFacts facts;
    facts.architecture = model.spec.architecture;
    facts.surrogate = surrogate && *surrogate != nullptr;
    facts.keysNormalised = model.spec.qkNorm != QkNorm::None;
    json["eviction_policy"] = automaticPolicy(facts);
    const auto kept = storedPrecision(measurements, {model.spec.fingerprint, machine.isa});
    const auto shipped = shippedPrecision(path, model.spec.fingerprint);
    if (const auto& found = kept && *kept ? kept : shipped; found && *found)
        json["precision"] = format("auto is {}", precisionText(**found));
    else
        json["precision"] =
            "auto is int8 in two terms, accurate enough for every model, until it is measured";
    return json;
}

ModelPage modelPage(const std::filesystem::path& path, const OrderedJson& inspection) {
    return PageWriter(inspection).write(path);
}

std::string pageText(const ModelPage& page) {
    std::size_t width = 0;
    for (const PageSection& section : page.sections)
        for (const PageLine& line : section.lines) width = std::max(width, line.label.size());
    std::string text = lineForTerminal(page.heading) + "\n";
    for (const PageSection& section : page.sections) {
        text += format("\n{}\n", section.title);
        for (const PageLine& line : section.lines)
            text += format("  {:<{}}  {}\n", line.label, width, lineForTerminal(line.value));
    }
    return text;
}

}  // namespace lacuna

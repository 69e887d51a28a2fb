// logits, tokenize: for scripts and for comparison with other programs.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

TokenId largest(std::span<const float> row) {
    return static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
}

Result<OrderedJson> logitsOrError(const LogitsArguments& a, std::stop_token stop) {
    LACUNA_TRY_STATUS(checkOutputs({.outputs = {a.out}, .models = {a.model}, .inputs = {a.ids}}));
    LACUNA_TRY(const KvRowType type, kvTypeFromName(a.kvType));
    KvOptions kv;
    kv.type = type.type;
    kv.quant = type.quant;
    LACUNA_TRY(const std::vector<TokenId> ids, readIds(a.ids));
    if (ids.empty())
        return fail(ErrorCode::InvalidArgument, format("{} contains no token ids", a.ids));
    LACUNA_TRY(const auto model,
               loadToRun(a.model, {.progress = {}, .stop = stop, .measured = personalFolder()}));
    LACUNA_TRY_STATUS(checkWithinContext("--ids and --greedy",
                                         static_cast<std::int64_t>(ids.size()) + a.greedy,
                                         model->spec.context));
    ThreadPool pool(a.threads > 0 ? a.threads : machineFacts().cores);
    LACUNA_TRY(auto transformer,
               Transformer::create(model, pool,
                                   {.precision = a.exact ? Precision::Exact : Precision::Fast,
                                    .maxTokens = a.chunk}));
    LACUNA_TRY(auto cache, makeModelCache(*model, kv));
    const ForwardOptions options{.cancelled = [&] { return stop.stop_requested(); }};
    std::vector<float> all;
    const auto step = static_cast<std::size_t>(a.chunk);
    TokenId next = 0;
    for (std::size_t at = 0; at < ids.size(); at += step) {
        const BatchRun run{.tokens = std::span(ids).subspan(at, std::min(step, ids.size() - at)),
                           .cache = cache.get(),
                           .logits = LogitsFor::AllTokens,
                           .promptEnd = Position(static_cast<std::int32_t>(ids.size()))};
        LACUNA_TRY(const auto rows, transformer->forward({&run, 1}, options));
        all.insert(all.end(), rows.data(), rows.data() + rows.size());
        next = largest(rows.row(rows.extent(0) - 1));
    }
    LACUNA_TRY_STATUS(
        writeNpy(a.out, all, static_cast<std::int64_t>(ids.size()), model->spec.vocabulary));
    std::vector<TokenId> greedy;
    for (int i = 0; i < a.greedy; ++i) {
        greedy.push_back(next);
        const BatchRun run{.tokens = {&greedy.back(), 1}, .cache = cache.get()};
        LACUNA_TRY(const auto rows, transformer->forward({&run, 1}, options));
        next = largest(rows.row(0));
    }
    return OrderedJson{{"model", model->spec.name},
                       {"architecture", model->spec.architecture},
                       {"tokens", ids.size()},
                       {"vocabulary", model->spec.vocabulary},
                       {"precision", a.exact ? "exact" : "fast"},
                       {"out", a.out},
                       {"greedy", greedy}};
}

Result<int> tokenizeOrError(const TokenizeArguments& a, const std::stop_token& stop) {
    LACUNA_TRY(const Tokenizer tokenizer, loadTokenizer(a.model, stop));
    const EncodeOptions options{.special = a.plain ? SpecialText::Plain : SpecialText::Parse,
                                .edges = a.edges ? EdgeTokens::AsConfigured : EdgeTokens::None,
                                .stop = [stop] { return stop.stop_requested(); }};
    if (!a.decode.empty()) {
        LACUNA_TRY(const std::vector<TokenId> ids, readIds(a.decode));
        LACUNA_TRY(const std::string text, tokenizer.decode(ids, SpecialOutput::Show));
        return print(text);
    }
    if (!a.lines.empty()) {
        LACUNA_TRY(const std::string content, readFile(a.lines, kTextLimit));
        LACUNA_TRY(const Json cases, parseJson(content));
        if (!cases.is_array())
            return fail(ErrorCode::Config, format("{}: expected a list of strings", a.lines));
        OrderedJson lists = OrderedJson::array();
        for (const Json& item : cases) {
            if (!item.is_string())
                return fail(ErrorCode::Config,
                            format("{}: item {} is not a string", a.lines, lists.size()));
            LACUNA_TRY(const auto ids,
                       tokenizer.encode(item.get_ref<const std::string&>(), options));
            lists.push_back(ids);
        }
        return print(dumpJson(lists) + "\n");
    }
    if (a.file.empty())
        return fail(ErrorCode::InvalidArgument,
                    "use --file TEXT.txt, --lines CASES.json or --decode IDS.json");
    LACUNA_TRY(const std::string text, readFile(a.file, kTextLimit));
    LACUNA_TRY(const auto ids, tokenizer.encode(text, options));
    return print(dumpJson(OrderedJson(ids)) + "\n");
}

}  // namespace

int logits(const LogitsArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = logitsOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

int tokenize(const TokenizeArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = tokenizeOrError(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli

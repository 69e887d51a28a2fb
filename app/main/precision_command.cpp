// precision: measures the effect of rounded products on the predictions, and the speed of each
// arithmetic. Rounds alternate between the arithmetics, so that load on the machine affects all of
// them; medians are reported.

#include <algorithm>
#include <vector>

#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/model/model_cache.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/precision_measurement.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

constexpr int kPiece = 128;

/// One arithmetic with the timings of its rounds.
struct Timed {
    Precision precision = Precision::Fast;
    std::unique_ptr<Transformer> transformer;
    std::vector<double> prefill;  ///< tokens per second
    std::vector<double> decode;
};

class PrecisionBench {
  public:
    PrecisionBench(const PrecisionArguments& a, std::shared_ptr<const LoadedModel> model,
                   std::stop_token stop)
        : a_(a),
          model_(std::move(model)),
          stop_(std::move(stop)),
          pool_(a.threads > 0 ? a.threads : machineFacts().cores) {}

    [[nodiscard]] Result<OrderedJson> run() {
        LACUNA_TRY(const PrecisionMeasurement measured, measure());
        LACUNA_TRY_STATUS(keep(measured));
        std::vector<Timed> rounds;
        for (const Precision precision : {Precision::Fast, Precision::TwoTerms, Precision::Exact}) {
            LACUNA_TRY(auto transformer, make(precision, kPiece));
            rounds.push_back({precision, std::move(transformer), {}, {}});
        }
        ProgressLine line;
        for (int round = 0; round < a_.repeat; ++round)
            for (Timed& one : rounds) {
                line.show(format("round {} of {}", round + 1, a_.repeat));
                LACUNA_TRY_STATUS(time(one));
            }
        const MachineFacts machine = machineFacts();
        OrderedJson rows = OrderedJson::array();
        for (const Timed& one : rounds) rows.push_back(rowOf(one, rounds.front(), measured));
        return OrderedJson{
            {"model", model_->spec.name},
            {"file_type", model_->spec.fileType},
            {"fingerprint", model_->spec.fingerprint},
            {"auto", keyOf(choosePrecision(measured.measured))},
            {"positions", measured.positions},
            {"threads", pool_.threads()},
            {"prefill_tokens", a_.prefill},
            {"decode_tokens", a_.decode},
            {"repeat", a_.repeat},
            {"rows", std::move(rows)},
            {"machine", {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}}}};
    }

  private:
    [[nodiscard]] Result<std::unique_ptr<Transformer>> make(Precision precision, int maxTokens) {
        return Transformer::create(model_, pool_, {.precision = precision, .maxTokens = maxTokens});
    }

    [[nodiscard]] Result<PrecisionMeasurement> measure() {
        ProgressLine line;
        return measurePrecision(
            {.model = *model_,
             .transformer = [this](Precision precision, int most) { return make(precision, most); },
             .progress =
                 [&line](double share) { line.show(format("divergence: {:.0f} %", 100 * share)); },
             .cancelled = [this] { return stop_.stop_requested(); }});
    }

    [[nodiscard]] Status keep(const PrecisionMeasurement& measured) const {
        if (!a_.out.empty()) return writePrecision(a_.out, measured);
        const std::filesystem::path folder = measurementsFolder();
        return folder.empty() ? Status() : storePrecision(folder, measured);
    }

    [[nodiscard]] Status feed(Timed& one, KvCache& cache, std::span<const TokenId> ids) const {
        const BatchRun run{.tokens = ids, .cache = &cache};
        LACUNA_TRY([[maybe_unused]] const auto logits,
                   one.transformer->forward(
                       {&run, 1}, {.cancelled = [this] { return stop_.stop_requested(); }}));
        return {};
    }

    /// Runs a prompt and an answer of fixed tokens.
    [[nodiscard]] Status time(Timed& one) const {
        const auto tokenAt = [this](int i) { return i * 37 % model_->spec.vocabulary; };
        std::vector<TokenId> prompt;
        for (int i = 0; i < a_.prefill; ++i) prompt.push_back(tokenAt(i));
        LACUNA_TRY(const auto cache, makeModelCache(*model_, KvOptions{}));
        const SteadyClock clock;
        const std::int64_t begin = clock.nowNs();
        for (std::size_t at = 0; at < prompt.size(); at += kPiece)
            LACUNA_TRY_STATUS(feed(
                one, *cache,
                std::span(prompt).subspan(at, std::min<std::size_t>(kPiece, prompt.size() - at))));
        one.prefill.push_back(a_.prefill / secondsSince(clock, begin));
        const std::int64_t read = clock.nowNs();
        for (int i = 0; i < a_.decode; ++i) {
            const TokenId id = tokenAt(7 * i);
            LACUNA_TRY_STATUS(feed(one, *cache, {&id, 1}));
        }
        one.decode.push_back(a_.decode / secondsSince(clock, read));
        return {};
    }

    /// Returns the median over rounds of the ratio to the adjacent round of `other`.
    [[nodiscard]] static double ratio(const std::vector<double>& own,
                                      const std::vector<double>& other) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < own.size(); ++i) ratios.push_back(own[i] / other[i]);
        return median(std::move(ratios));
    }

    [[nodiscard]] static OrderedJson rowOf(const Timed& one, const Timed& fast,
                                           const PrecisionMeasurement& measured) {
        OrderedJson row{{"precision", keyOf(one.precision)}, {"kl_mean", 0.0}, {"top1", 1.0}};
        for (const MeasuredPrecision& other : measured.measured)
            if (other.precision == one.precision) {
                row["kl_mean"] = other.klMean;
                row["top1"] = other.top1;
            }
        row["prefill_tokens_per_second"] = median(one.prefill);
        row["decode_tokens_per_second"] = median(one.decode);
        row["prefill_to_fast"] = ratio(one.prefill, fast.prefill);
        row["decode_to_fast"] = ratio(one.decode, fast.decode);
        return row;
    }

    const PrecisionArguments& a_;
    std::shared_ptr<const LoadedModel> model_;
    std::stop_token stop_;
    ThreadPool pool_;
};

Result<OrderedJson> precisionOrError(const PrecisionArguments& a, const std::stop_token& stop) {
    LACUNA_TRY_STATUS(checkOutputs({.outputs = {a.out}, .models = {a.model}, .inputs = {}}));
    LACUNA_TRY(const auto path, modelPath(a.model));
    LACUNA_TRY(auto model, loadToRun(path, {.progress = {}, .stop = stop}));
    LACUNA_TRY_STATUS(checkWithinContext("--prefill and --decode",
                                         std::int64_t{a.prefill} + a.decode, model->spec.context));
    return PrecisionBench(a, std::move(model), stop).run();
}

}  // namespace

int precision(const PrecisionArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = precisionOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli

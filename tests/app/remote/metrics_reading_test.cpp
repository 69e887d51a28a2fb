// Metrics of other engines, parsed as text and converted to this program's figures. The scrapes are
// modelled on the names and labels that each engine documents.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "app/remote/engine_figures.h"
#include "app/remote/prometheus_text.h"

namespace lacuna::app {
namespace {

std::string scrapeText(const std::string& name) {
    std::ifstream file(std::string(LACUNA_SOURCE_DIR "/tests/app/remote/scrapes/") + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

MetricScrape scrapeOf(const std::string& text) {
    const auto scrape = readMetrics(text);
    EXPECT_TRUE(scrape.has_value()) << (scrape ? "" : scrape.error().what);
    return scrape.value_or(MetricScrape{});
}

FigureValues valuesOf(const std::string& text) {
    FigureMeter meter;
    return meter.next(readingsOf(scrapeOf(text)), 0);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

std::set<Figure> reportedIn(const FigureValues& values) {
    std::set<Figure> reported;
    for (std::size_t i = 0; i < kFigureCount; ++i)
        if (values[i].reported) reported.insert(static_cast<Figure>(i));
    return reported;
}

// ---------------------------------------------------------------- text

TEST(MetricsText, namesLabelsAndValues_areParsed) {
    const MetricScrape scrape = scrapeOf(
        "# TYPE a counter\n"
        "a 1\n"
        "\t b:c_total \t{ x = \"1\" , y=\"two\", } 2.5e3 1395066363000\r\n"
        "\n"
        "# a comment of any kind \"{\n"
        "neg -3\nplus +4\n");
    ASSERT_EQ(scrape.samples.size(), 4U);
    EXPECT_EQ(scrape.types.at("a"), MetricType::Counter);
    EXPECT_EQ(scrape.samples[1].name, "b:c_total");
    EXPECT_EQ(scrape.samples[1].value, 2500);
    ASSERT_EQ(scrape.samples[1].labels.size(), 2U);
    EXPECT_EQ(scrape.samples[1].labels[1], (std::pair<std::string, std::string>("y", "two")));
    EXPECT_EQ(scrape.samples[2].value, -3);
    EXPECT_EQ(scrape.samples[3].value, 4);
}

TEST(MetricsText, labelEscapes_areDecoded) {
    const MetricScrape scrape = scrapeOf(R"(m{path="C:\\dir \"x\"\nend",odd="\d,}"} 1)");
    ASSERT_EQ(scrape.samples.size(), 1U);
    EXPECT_EQ(scrape.samples[0].labels[0].second, "C:\\dir \"x\"\nend");
    EXPECT_EQ(scrape.samples[0].labels[1].second, "\\d,}");
}

TEST(MetricsText, infinityAndNaN_areValues) {
    const MetricScrape scrape = scrapeOf("a +Inf\nb -Inf\nc NaN\nd{le=\"+Inf\"} 3\n");
    ASSERT_EQ(scrape.samples.size(), 4U);
    EXPECT_EQ(scrape.samples[0].value, std::numeric_limits<double>::infinity());
    EXPECT_EQ(scrape.samples[1].value, -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(scrape.samples[2].value));
}

TEST(MetricsText, invalidText_isRejectedWithItsLineNumber) {
    for (const char* line :
         {"9lives 1", "a", "a one", "a{b} 1", "a{b=c} 1", "a{b=\"c} 1", "a{b=\"c\" d=\"e\"} 1",
          "a 1 2 3", "a 1 soon", "a 1 # {trace_id=\"x\"} 0.5 1", "{a=\"b\"} 1", "a{=\"b\"} 1",
          "a --1", "a 0x10", "<html>"}) {
        const auto scrape = readMetrics(std::string("ok 1\n") + line + "\n");
        ASSERT_FALSE(scrape.has_value()) << line;
        EXPECT_NE(scrape.error().what.find("line 2"), std::string::npos) << scrape.error().what;
    }
}

TEST(MetricsText, textOverTheLimit_isRejected) {
    EXPECT_EQ(readMetrics(std::string(kMaxScrapeBytes + 1, '\n')).error().code, ErrorCode::Range);
    EXPECT_TRUE(readMetrics(std::string(kMaxScrapeBytes, '\n')).has_value());
}

// ---------------------------------------------------------------- families and names

TEST(EngineFamily, family_isDetectedFromMetricNames) {
    EXPECT_EQ(familyOf(scrapeOf(scrapeText("vllm.prom"))), EngineFamily::Vllm);
    EXPECT_EQ(familyOf(scrapeOf(scrapeText("sglang.prom"))), EngineFamily::Sglang);
    EXPECT_EQ(familyOf(scrapeOf(scrapeText("llama_server.prom"))), EngineFamily::LlamaServer);
    EXPECT_EQ(familyOf(scrapeOf(scrapeText("lmcache.prom"))), EngineFamily::LmCache);
    EXPECT_EQ(familyOf(scrapeOf("lacuna_build_info 1\nvllm:num_requests_running 1\n")),
              EngineFamily::Lacuna);
    EXPECT_EQ(familyOf(scrapeOf("go_goroutines 7\nvllmlike 1\n")), EngineFamily::Unknown);
    EXPECT_EQ(familyOf(scrapeOf("")), EngineFamily::Unknown);
}

TEST(EngineFamily, lmCache_nextToAnEngine_isDetected) {
    const MetricScrape both = scrapeOf(scrapeText("vllm.prom") + scrapeText("lmcache.prom"));
    EXPECT_EQ(familyOf(both), EngineFamily::Vllm);
    EXPECT_TRUE(hasLmCache(both));
    EXPECT_FALSE(hasLmCache(scrapeOf(scrapeText("vllm.prom"))));
}

TEST(EngineFigureNames, names_coverAtLeastThirtyMetricsOfOtherEngines_areUnique) {
    int others = 0;
    std::set<std::pair<std::string_view, Figure>> seen;
    std::set<Figure> figures;
    for (const FigureName& name : figureNames()) {
        EXPECT_TRUE(seen.emplace(name.name, name.figure).second) << name.name;
        EXPECT_FALSE(name.name.ends_with("_total")) << name.name;
        figures.insert(name.figure);
        for (const char* prefix : {"vllm:", "sglang:", "llamacpp:", "lmcache:"})
            others += name.name.starts_with(prefix) ? 1 : 0;
    }
    EXPECT_GE(others, 30);
    EXPECT_EQ(figures.size(), kFigureCount) << "every figure has a name that fills it";
}

// ---------------------------------------------------------------- figures

TEST(EngineFigures, vllmFigures_areSummedOverEngines) {
    const FigureValues values = valuesOf(scrapeText("vllm.prom"));
    EXPECT_EQ(valueOf(values, Figure::Running).now, 4);
    EXPECT_EQ(valueOf(values, Figure::Waiting).now, 2);
    EXPECT_EQ(valueOf(values, Figure::CacheShare).now, 0.5);
    EXPECT_EQ(valueOf(values, Figure::PromptTokens).total, 12000);
    EXPECT_EQ(valueOf(values, Figure::AnswerTokens).total, 3400);
    EXPECT_EQ(valueOf(values, Figure::Answered).total, 20);
    EXPECT_EQ(valueOf(values, Figure::Preempted).total, 5);
    EXPECT_EQ(valueOf(values, Figure::Drafted).total, 900);
    EXPECT_EQ(valueOf(values, Figure::Accepted).total, 600);
    EXPECT_EQ(valueOf(values, Figure::FirstToken).total, 0.25);
    EXPECT_NEAR(*valueOf(values, Figure::BetweenTokens).total, 0.02, 1e-12);
    EXPECT_EQ(valueOf(values, Figure::WholeRequest).total, 4);
    EXPECT_EQ(valueOf(values, Figure::Queued).total, 0.05);
    EXPECT_EQ(valueOf(values, Figure::Prefill).total, 0.2);
    EXPECT_EQ(valueOf(values, Figure::Decode).total, 3.75);
    EXPECT_EQ(valueOf(values, Figure::PromptSize).total, 600);
    EXPECT_EQ(valueOf(values, Figure::AnswerSize).total, 170);
    EXPECT_EQ(valueOf(values, Figure::ResidentBytes).now, 1520435200);
}

TEST(EngineFigures, sglangFigures_areRead_NaNIsAbsent) {
    const FigureValues values = valuesOf(scrapeText("sglang.prom"));
    EXPECT_EQ(valueOf(values, Figure::Running).now, 2);
    EXPECT_EQ(valueOf(values, Figure::Waiting).now, 1);
    EXPECT_EQ(valueOf(values, Figure::CacheShare).now, 0.28);
    EXPECT_EQ(valueOf(values, Figure::CacheTokens).now, 123859);
    EXPECT_EQ(valueOf(values, Figure::AnswerRate).now, 86.5);
    EXPECT_EQ(valueOf(values, Figure::PrefixHitShare).now, 0.0075);
    EXPECT_EQ(valueOf(values, Figure::PrefixHit).total, 2032225);
    EXPECT_EQ(valueOf(values, Figure::Preempted).total, 7);
    EXPECT_FALSE(valueOf(values, Figure::AcceptedShare).reported);
    EXPECT_EQ(answerRate(values), 86.5);
}

TEST(EngineFigures, llamaServerFigures_haveNoRateForTotalsUpdatedAtTheEnd) {
    FigureMeter meter;
    const std::string first = scrapeText("llama_server.prom");
    (void)meter.next(readingsOf(scrapeOf(first)), 0);
    const std::string second = replaced(first, "\nllamacpp:tokens_predicted_total 988",
                                        "\nllamacpp:tokens_predicted_total 1988");
    const FigureValues values = meter.next(readingsOf(scrapeOf(second)), 1'000'000'000);
    EXPECT_EQ(valueOf(values, Figure::AnswerTokens).total, 1988);
    EXPECT_EQ(valueOf(values, Figure::AnswerTokens).now, std::nullopt);
    EXPECT_EQ(valueOf(values, Figure::PrefixHit).total, 1290);
    EXPECT_EQ(prefixHitShare(values), std::nullopt) << "of how many it does not say";
    EXPECT_EQ(answerRate(values), 57.08);  // as reported by the engine while it generates
    EXPECT_EQ(promptRate(values), 1309.9);
    EXPECT_FALSE(valueOf(values, Figure::CacheShare).reported) << "it has no such metric any more";
    const std::string idle = replaced(second, "requests_processing 1", "requests_processing 0");
    EXPECT_EQ(answerRate(meter.next(readingsOf(scrapeOf(idle)), 2'000'000'000)), std::nullopt);
}

TEST(EngineFigures, lmCacheFigures_areOffloadBytes) {
    const FigureValues values = valuesOf(scrapeText("lmcache.prom"));
    EXPECT_EQ(valueOf(values, Figure::OffloadBytes).now, 4294967296.0);
    EXPECT_EQ(valueOf(values, Figure::OffloadDiskBytes).now, 1073741824.0);
    EXPECT_EQ(valueOf(values, Figure::OffloadRemoteBytes).now, 0) << "a zero that is reported";
    EXPECT_EQ(valueOf(values, Figure::OffloadStored).total, 51200);
    EXPECT_EQ(valueOf(values, Figure::OffloadFetched).total, 20480);
    EXPECT_EQ(valueOf(values, Figure::OffloadHitShare).now, 0.5);
    EXPECT_EQ(valueOf(values, Figure::OffloadFetchTime).total, 0.01);
    EXPECT_EQ(valueOf(values, Figure::OffloadEvictions).total, 3);
    EXPECT_FALSE(valueOf(values, Figure::Running).reported);
}

TEST(EngineFigures, unreportedFigures_areAbsent) {
    const FigureValues values = valuesOf("vllm:num_requests_running 1\n");
    EXPECT_EQ(reportedIn(values), std::set<Figure>{Figure::Running});
    for (std::size_t i = 0; i < kFigureCount; ++i) {
        if (values[i].reported) continue;
        EXPECT_EQ(values[i].now, std::nullopt);
        EXPECT_EQ(values[i].total, std::nullopt);
    }
    EXPECT_EQ(cacheShare(values), std::nullopt);
    EXPECT_EQ(prefixHitShare(values), std::nullopt);
    EXPECT_EQ(answerRate(values), std::nullopt);
}

TEST(EngineFigures, formerMetricNames_giveTheSameFigures) {
    EXPECT_EQ(valueOf(valuesOf("vllm:gpu_cache_usage_perc 0.125\n"), Figure::CacheShare).now,
              0.125);
    EXPECT_EQ(valueOf(valuesOf("vllm:gpu_cache_usage_perc 0.5\nvllm:kv_cache_usage_perc 0.25\n"),
                      Figure::CacheShare)
                  .now,
              0.25);
    EXPECT_EQ(valueOf(valuesOf("vllm:prompt_tokens 9\n"), Figure::PromptTokens).total, 9);
    EXPECT_EQ(valueOf(valuesOf("sglang_num_running_reqs 3\n"), Figure::Running).now, 3);
}

TEST(EngineFigures, lacunaFigures_areBytesSummedOverSlots) {
    const FigureValues values = valuesOf(
        "lacuna_cache_logical_bytes{slot=\"0\"} 1000\nlacuna_cache_logical_bytes{slot=\"1\"} 500\n"
        "lacuna_cache_live_bytes{slot=\"0\"} 250\nlacuna_cache_live_bytes{slot=\"1\"} 125\n"
        "lacuna_compaction_total{kind=\"am\",result=\"done\",cause=\"budget\"} 2\n"
        "lacuna_compaction_total{kind=\"am\",result=\"failed\",cause=\"budget\"} 1\n");
    EXPECT_EQ(valueOf(values, Figure::LogicalBytes).now, 1500);
    EXPECT_EQ(valueOf(values, Figure::LiveBytes).now, 375);
    EXPECT_EQ(valueOf(values, Figure::Compactions).total, 2);
}

// ---------------------------------------------------------------- rates

TEST(FigureMeter, counters_giveRates_histogramsGiveMeansOfNewSamples) {
    FigureMeter meter;
    const std::string first = scrapeText("vllm.prom");
    const FigureValues before = meter.next(readingsOf(scrapeOf(first)), 5'000'000'000);
    EXPECT_EQ(valueOf(before, Figure::AnswerTokens).now, std::nullopt) << "one look has no rate";
    std::string second =
        replaced(first, "generation_tokens_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 3400.0",
                 "generation_tokens_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 3500.0");
    second = replaced(second,
                      "first_token_seconds_count{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 20.0",
                      "first_token_seconds_count{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 24.0");
    second =
        replaced(second, "first_token_seconds_sum{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 5.0",
                 "first_token_seconds_sum{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 7.0");
    second = replaced(second, "queries_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 10000.0",
                      "queries_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 10400.0");
    second = replaced(second, "hits_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 4000.0",
                      "hits_total{engine=\"0\",model_name=\"Qwen/Qwen3-8B\"} 4100.0");
    const FigureValues values = meter.next(readingsOf(scrapeOf(second)), 7'000'000'000);
    EXPECT_EQ(valueOf(values, Figure::AnswerTokens).now, 50);
    EXPECT_EQ(answerRate(values), 50);
    EXPECT_EQ(valueOf(values, Figure::FirstToken).now, 0.5);
    EXPECT_EQ(valueOf(values, Figure::BetweenTokens).now, std::nullopt) << "nothing new was timed";
    EXPECT_EQ(valueOf(values, Figure::PromptTokens).now, 0);
    EXPECT_EQ(promptRate(values), std::nullopt) << "nothing is read: a gap and no zero";
    EXPECT_EQ(prefixHitShare(values), 0.25);
}

TEST(FigureMeter, decreasedCounter_hasNoRateForThatStep) {
    FigureMeter meter;
    const auto at = [&](double value, std::int64_t seconds) {
        const auto scrape =
            scrapeOf("vllm:generation_tokens_total " + std::to_string(value) + "\n");
        return valueOf(meter.next(readingsOf(scrape), seconds * 1'000'000'000),
                       Figure::AnswerTokens)
            .now;
    };
    EXPECT_EQ(at(100, 1), std::nullopt);
    EXPECT_EQ(at(150, 2), 50);
    EXPECT_EQ(at(30, 3), std::nullopt);  // the engine was restarted
    EXPECT_EQ(at(40, 4), 10);
}

}  // namespace
}  // namespace lacuna::app

#include "app/serve/server_metrics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/serve/cache_kinds.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna::app {
namespace {

// Bucket bounds of vLLM's server, so that its dashboards work.
constexpr std::array kFirstTokenBounds{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                       0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                       20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
constexpr std::array kTokenBounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                  0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
constexpr std::array kRequestBounds{0.3,  0.5,   0.8,   1.0,   1.5,   2.0,    2.5,
                                    5.0,  10.0,  15.0,  20.0,  30.0,  40.0,   50.0,
                                    60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};
constexpr std::array kSizeBounds{1.0,     2.0,     5.0,     10.0,     20.0,    50.0,
                                 100.0,   200.0,   500.0,   1000.0,   2000.0,  5000.0,
                                 10000.0, 20000.0, 50000.0, 100000.0, 200000.0};
constexpr std::array kCompactionBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                       0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};

constexpr std::chrono::minutes kHistory{15};
constexpr std::chrono::seconds kHistoryStep{1};

double seconds(ServerMetrics::Clock::duration span) {
    return std::chrono::duration<double>(span).count();
}

std::string_view vllmReason(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return "stop";
        case FinishReason::Length:
        case FinishReason::ContextFull:
            return "length";
        case FinishReason::Cancelled:
            return "abort";
        case FinishReason::Error:
            return "error";
    }
    return "error";
}

}  // namespace

ServerCounts::ServerCounts()
    : timeToFirstToken(kFirstTokenBounds),
      betweenTokens(kTokenBounds),
      wholeRequest(kRequestBounds),
      queued(kRequestBounds),
      prefill(kRequestBounds),
      decode(kRequestBounds),
      inference(kRequestBounds),
      promptSizes(kSizeBounds),
      answerSizes(kSizeBounds),
      compactionSeconds(kCompactionBounds) {}

void ServerMetrics::take(const Event& event, const Slots& slots, Clock::time_point now) {
    if (const auto* token = std::get_if<TokenText>(&event)) {
        on(*token, now);
    } else if (const auto* sample = std::get_if<StepSample>(&event)) {
        on(*sample);
    } else if (const auto* started = std::get_if<TurnStarted>(&event)) {
        on(*started, slots, now);
    } else if (const auto* finished = std::get_if<TurnFinished>(&event)) {
        on(*finished, now);
    } else if (const auto* compaction = std::get_if<CompactionHappened>(&event)) {
        on(compaction->report);
        if (compaction->report.result == CompactionResult::Started &&
            !m_released.contains(compaction->conversation))
            m_counts.compacting.insert(compaction->conversation);
        else if (compaction->report.background)
            m_counts.compacting.erase(compaction->conversation);
    } else if (const auto* span = std::get_if<SpanRestored>(&event)) {
        on(*span);
    } else if (const auto* quality = std::get_if<QualitySampled>(&event)) {
        ++m_counts.qualitySamples;
        ++m_counts.qualityCount;
        m_counts.qualityKl += quality->sample.kl;
    } else if (std::holds_alternative<ConfigApplied>(event)) {
        m_counts.qualityCount = 0;  // earlier samples were taken under different settings
        m_counts.qualityKl = 0;
    } else if (const auto* loaded = std::get_if<ModelLoaded>(&event)) {
        m_counts.precision = loaded->facts.precision;
        m_counts.precisionKl = loaded->facts.precisionKl;
        m_heads = cacheHeads(loaded->facts);
    } else if (const auto* chosen = std::get_if<PrecisionChosen>(&event)) {
        m_counts.precision = chosen->precision;
        m_counts.precisionKl = chosen->klMean;
    } else if (const auto* prefixes = std::get_if<PrefixCacheChanged>(&event)) {
        m_counts.prefixes = prefixes->stats;
        m_counts.disk = prefixes->disk;
    } else if (const auto* moved = std::get_if<PromptCacheMoved>(&event)) {
        // The size of a restored cache is known after its first step.
        if (moved->loaded && !moved->error) {
            remove(moved->conversation);
            m_released.erase(moved->conversation);
        }
    }
}

void ServerMetrics::on(const TurnStarted& turn, const Slots& slots, Clock::time_point now) {
    const auto slot =
        std::ranges::find(slots, turn.conversation, &RequestScheduler::Slot::conversation);
    const bool known = slot != slots.end() && slot->asked != Clock::time_point();
    Answer answer{
        .asked = known ? slot->asked : now, .started = now, .promptTokens = turn.promptTokens};
    m_counts.queued.add(seconds(now - answer.asked));
    m_answers[turn.conversation] = answer;
    m_released.erase(turn.conversation);
    m_counts.kinds[turn.conversation] = cacheKind(turn.config.kv);
    if (m_history.empty() || now - m_history.back().at >= kHistoryStep)
        m_history.push_back({now, m_counts.lookups});
    // Keep one entry older than the longest span as the base of the difference.
    while (m_history.size() > 1 && now - m_history[1].at > kHistory) m_history.pop_front();
    m_counts.lookups.asked += turn.promptTokens;
    m_counts.lookups.found += turn.reusedTokens;
    ++(turn.reusedTokens > 0 ? m_counts.hits : m_counts.misses);
}

void ServerMetrics::on(const TokenText& token, Clock::time_point now) {
    const auto found = m_answers.find(token.conversation);
    if (found == m_answers.end()) return;
    Answer& answer = found->second;
    if (token.index < answer.tokens)
        return;  // held-back text repeats the index of the previous token
    if (answer.tokens == 0) {
        m_counts.timeToFirstToken.add(seconds(now - answer.asked));
        m_counts.promptTokens += answer.promptTokens;
    } else {
        m_counts.betweenTokens.add(seconds(now - answer.last));
    }
    answer.last = now;
    answer.tokens = token.index + 1;
    ++m_counts.generatedTokens;
}

void ServerMetrics::on(const TurnFinished& turn, Clock::time_point now) {
    const auto found = m_answers.find(turn.conversation);
    if (found == m_answers.end()) return;
    const Answer answer = found->second;
    m_answers.erase(found);
    const TurnStats& stats = turn.stats;
    ++m_counts.ends[std::string(vllmReason(turn.reason))];
    m_counts.wholeRequest.add(seconds(now - answer.asked));
    m_counts.inference.add(seconds(now - answer.started));
    m_counts.prefill.add(stats.prefillSeconds);
    m_counts.decode.add(stats.decodeSeconds);
    m_counts.promptSizes.add(static_cast<double>(answer.promptTokens));
    m_counts.answerSizes.add(static_cast<double>(stats.generatedTokens));
    // A prompt that was not fully read has no first token.
    if (answer.tokens > 0) m_counts.readTokens += stats.promptTokens - stats.reusedTokens;
    if (answer.tokens > 0) m_counts.readSeconds += stats.prefillSeconds;
    m_counts.writtenTokens += stats.generatedTokens;
    m_counts.writtenSeconds += stats.decodeSeconds;
    m_counts.decodePasses += stats.decodeSteps;
    m_counts.drafted += stats.draftedTokens;
    m_counts.accepted += stats.acceptedTokens;
    m_counts.draftRounds += stats.draftRounds;
    m_counts.shifted += stats.shiftedTokens;
}

void ServerMetrics::on(const StepSample& sample) {
    if (!m_released.contains(sample.conversation)) {
        m_counts.caches[sample.conversation] = sample.kv;
        if (sample.compaction.background)
            m_counts.compacting.insert(sample.conversation);
        else
            m_counts.compacting.erase(sample.conversation);
    }
    m_counts.maxTokens = std::max(m_counts.maxTokens, sample.kv.tokens);
    if (sample.rssBytes > 0) m_counts.residentBytes = sample.rssBytes;
    if (sample.tokens <= 0) return;
    if (m_lastStep != sample.at) ++m_counts.steps;
    m_lastStep = sample.at;
    ++m_counts.partsOfSteps;
}

void ServerMetrics::on(const SpanRestored& span) {
    if (!span.ended) return;
    const bool came = !span.error && !span.offered;
    if (came) m_counts.restoredTokens += span.count;
    if (!span.forQuestion)
        return static_cast<void>(++(span.error ? m_counts.restoresFailed : m_counts.restores));
    const char* result = "restored";
    if (span.error)
        result = "skipped";
    else if (span.offered)
        result = "offered";
    else if (span.count == 0)
        result = "nothing";
    ++m_counts.questionsLookedBack[result];
    m_counts.lookBackSeconds += span.seconds;
}

void ServerMetrics::on(const CompactionReport& report) {
    ++m_counts.compactions[{report.method, report.result, report.cause}];
    const CompactionOutcome outcome = outcomeOf(report);
    if (outcome == CompactionOutcome::Running) return;
    m_counts.stallSeconds += report.pauseMs() / 1e3;
    if (report.limited) ++m_counts.compactionsLimited;
    if (report.kept) m_counts.kept = report.kept;
    if (outcome == CompactionOutcome::Failed) {
        ++m_counts.compactionsFailed;
        m_counts.lastCompactionError = exclusionText(report.notes);
    }
    if (!compacted(outcome)) return;
    ++m_counts.compacted;
    m_counts.compactionSeconds.add(report.workMs() / 1e3);
    const auto dropped = std::max<std::int64_t>(report.slotsBefore - report.slotsAfter, 0);
    m_counts.droppedSlots += dropped;
    if (m_heads > 0) m_counts.droppedTokens += static_cast<double>(dropped) / m_heads;
    m_counts.freedBytes +=
        std::max<std::int64_t>(report.liveBytesBefore - report.liveBytesAfter, 0);
}

const KvStats* ServerMetrics::cacheOf(ConversationId conversation) const {
    const auto found = m_counts.caches.find(conversation);
    return found == m_counts.caches.end() ? nullptr : &found->second;
}

ServerMetrics::Lookups ServerMetrics::lookupsSince(std::chrono::minutes span,
                                                   Clock::time_point now) const {
    // The first entry within the span holds the totals before it.
    const auto first =
        std::ranges::find_if(m_history, [&](const Moment& one) { return now - one.at <= span; });
    if (first == m_history.end()) return {};
    return {m_counts.lookups.asked - first->before.asked,
            m_counts.lookups.found - first->before.found};
}

void ServerMetrics::embedded(std::int64_t texts, std::int64_t tokens, double took) {
    m_counts.embeddedTexts += texts;
    m_counts.readTokens += tokens;
    m_counts.readSeconds += took;
}

}  // namespace lacuna::app

// Every figure of the documents against its recording. Independent readers parse the documents (CSV
// by RFC 4180, tables of Markdown and HTML), and the expected cells are computed here from the
// events. All numbers of the events differ, so that swapped cells are noticed.

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/report/report.h"
#include "engine/settings/setting_spec.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/sample_recording.h"

namespace lacuna {
namespace {

using Cells = std::vector<std::string>;
using Table = std::vector<Cells>;  // the first row is the header

/// RFC 4180: quoted cells may hold commas, line ends and doubled quotes.
Table readCsv(const std::string& text) {
    Table rows(1);
    std::string cell;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            rows.back().push_back(std::exchange(cell, {}));
            if (c == '\n') rows.emplace_back();
        } else if (c != '\r') {
            cell += c;
        }
    }
    rows.pop_back();
    return rows;
}

std::vector<Table> markdownTables(const std::string& text) {
    std::vector<Table> tables;
    bool inTable = false;
    bool inFence = false;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("```")) inFence = !inFence;
        if (inFence || !line.starts_with("|")) {
            inTable = false;
            continue;
        }
        Cells cells;
        std::string cell;
        for (std::size_t i = 1; i < line.size(); ++i) {
            if (line[i] == '\\' && i + 1 < line.size()) {
                cell += line[++i];
            } else if (line[i] == '|') {
                const std::size_t first = cell.find_first_not_of(' ');
                const std::size_t last = cell.find_last_not_of(' ');
                cells.push_back(first == std::string::npos ? std::string()
                                                           : cell.substr(first, last - first + 1));
                cell.clear();
            } else {
                cell += line[i];
            }
        }
        if (!inTable) tables.emplace_back();
        inTable = true;
        if (cells[0].starts_with("---")) continue;
        tables.back().push_back(cells);
    }
    return tables;
}

std::string unescaped(std::string text) {
    for (const auto& [name, character] :
         {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
            text.replace(at, std::string_view(name).size(), character), ++at;
    return text;
}

/// Tables without names get a header of empty cells, as in Markdown.
std::vector<Table> htmlTables(const std::string& text) {
    std::vector<Table> tables;
    for (std::size_t at = 0; (at = text.find("<table>", at)) != std::string::npos;) {
        const std::size_t end = text.find("</table>", at);
        Table table;
        bool named = false;
        for (std::size_t row = at; (row = text.find("<tr>", row)) < end; ++row) {
            const std::size_t rowEnd = text.find("</tr>", row);
            Cells cells;
            for (std::size_t cell = row; (cell = text.find("<t", cell + 1)) < rowEnd;) {
                named = named || text.compare(cell, 3, "<th") == 0;
                const std::size_t open = text.find('>', cell) + 1;
                cells.push_back(unescaped(text.substr(open, text.find("</t", open) - open)));
            }
            table.push_back(cells);
        }
        if (!named && !table.empty()) table.insert(table.begin(), Cells(table[0].size()));
        tables.push_back(table);
        at = end;
    }
    return tables;
}

/// Returns the sentences of a document without escapes.
std::string markdownText(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\\') out += text[i];
    return out;
}

CompactionHappened compaction(int number, CompactionResult result) {
    CompactionHappened happened;
    happened.timeNs = 1'000'000 + number;
    happened.at = {.turn = 1, .index = 10 + number};
    happened.conversation = ConversationId(20 + number);
    happened.revision = Revision(30 + number);
    CompactionReport& r = happened.report;
    r.result = result;
    r.cause = CompactionCause::Budget;
    r.method = CompactionMethod::AttentionMatching;
    r.id = 40 + number;
    r.notes = {noteOf(CompactionReason::Recorded, format("reason {}, with \"quotes\"", number))};
    r.tokens = 1'000 + number;
    r.slotsBefore = 200'000 + number;
    r.slotsAfter = 30'000 + number;
    r.liveBytesBefore = (40 << 20) + number;
    r.liveBytesAfter = (std::int64_t{5} << 20) + (number << 18);
    r.referenceQueries = 600 + number;
    r.heldOutError = 0.0625 * number;
    r.requestedRatio = 8 + number;
    r.achievedRatio = 6.5 + number;
    r.limited = number % 2 == 1;
    r.kept = KeptInformation{.all = 0.5 + 0.0625 * number,
                             .worst = 0.25 + 0.0625 * number,
                             .error = 0.125,
                             .worstFirst = 70 + number,
                             .worstEnd = 90 + number,
                             .klMean = 0.375 + number,
                             .klP99 = 3.5 + number,
                             .sameTop = 0.625 + 0.0625 * number,
                             .tokens = 500 + number};
    r.measureMs = 2.5 + number;
    r.queriesMs = 1.5 + number;
    r.scoreMs = 12.25 + number;
    r.selectMs = 23.5 + number;
    r.fitMs = 34.75 + number;
    r.applyMs = 45.125 + number;
    r.totalMs = 156.5 + number;
    r.background = number % 2 == 1;
    r.stallMs = r.background ? 7.25 + 10 * number : r.totalMs;
    r.backgroundMs = 89.5 + number;
    return happened;
}

Recording distinct() {
    Recording recording = test::sampleRecording();
    recording.compactions = {
        compaction(3, CompactionResult::Done), compaction(1, CompactionResult::Done),
        compaction(2, CompactionResult::Done), compaction(4, CompactionResult::Failed),
        compaction(5, CompactionResult::Skipped)};
    StepSample sample = recording.samples.front();
    sample.timeNs = 101;
    sample.at = {.turn = 102, .index = 103};
    sample.conversation = ConversationId(104);
    sample.revision = Revision(105);
    sample.tokens = 106;
    sample.stepMs = 107.5;
    sample.kv = {.tokens = 108,
                 .slotsTotal = 109,
                 .slotsLargestHead = 110,
                 .logicalBytes = 3 << 20,
                 .liveBytes = 1 << 20,
                 .scaleBytes = 120,
                 .exactBytes = 121,
                 .allocatedBytes = 2 << 20,
                 .stateBytes = 124,
                 .checkpointBytes = 125,
                 .reallocations = 114,
                 .compactions = 115};
    sample.compaction = {
        .enabled = true, .due = false, .slots = 116, .target = 117, .trigger = 118};
    sample.rssBytes = 119;
    sample.prefixBytes = 122;
    sample.prefixDiskBytes = 123;
    recording.samples = {sample, sample};
    recording.samples[0].kv.logicalBytes = 7 << 20;
    recording.samples[0].kv.liveBytes = 6 << 20;
    TurnStats& stats = recording.turns[0].finished->stats;
    stats = {.promptTokens = 1'234,
             .reusedTokens = 34,
             .generatedTokens = 7,
             .compactions = 5,
             .draftedTokens = 9,
             .acceptedTokens = 2,
             .decodeSteps = 6,
             .shiftedTokens = 0,
             .prefillSeconds = 2.5,
             .decodeSeconds = 0.25,
             .timeToFirstTokenSeconds = 2.625};
    return recording;
}

/// The rows of a table, each as column -> cell. Records the columns that were checked.
class Rows {
  public:
    explicit Rows(const Table& table) {
        if (table.empty()) return;
        header_ = table[0];
        rows_.assign(table.begin() + 1, table.end());
    }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    void expect(std::size_t row, const std::string& column, const std::string& text) {
        const auto at = std::ranges::find(header_, column);
        ASSERT_NE(at, header_.end()) << column;
        ASSERT_LT(row, rows_.size());
        ASSERT_EQ(rows_[row].size(), header_.size());
        EXPECT_EQ(rows_[row][static_cast<std::size_t>(at - header_.begin())], text)
            << column << " of row " << row;
        seen_.insert(column);
    }
    void expect(std::size_t row, const std::string& column, std::integral auto number) {
        expect(row, column, std::to_string(number));
    }
    void expect(std::size_t row, const std::string& column, double number) {
        expect(row, column, format("{}", number));
    }
    /// Checks that no column was left unchecked.
    void expectWhole() const {
        for (const std::string& column : header_)
            EXPECT_TRUE(seen_.contains(column)) << column << " is not checked";
    }

  private:
    Cells header_;
    Table rows_;
    std::set<std::string> seen_;
};

Rows csvOf(const Recording& recording, const std::string& wanted) {
    for (const auto& [name, text] : reportCsv(recording))
        if (name == wanted) return Rows(readCsv(text));
    ADD_FAILURE() << "there is no " << wanted;
    return Rows({});
}

TEST(ReportFacts, csvOfCompactions_listsTheirOutcomes) {
    const Recording recording = distinct();
    Rows rows = csvOf(recording, "compactions.csv");
    ASSERT_EQ(rows.size(), 5U);
    const char* results[] = {"done", "done", "done", "failed", "skipped"};
    for (std::size_t i = 0; i < 5; ++i) {
        const CompactionHappened& one = recording.compactions[i];
        const CompactionReport& r = one.report;
        rows.expect(i, "time_ns", one.timeNs);
        rows.expect(i, "turn", one.at.turn);
        rows.expect(i, "index", one.at.index);
        rows.expect(i, "conversation", one.conversation.value);
        rows.expect(i, "revision", one.revision.value);
        rows.expect(i, "id", r.id);
        rows.expect(i, "result", results[i]);
        rows.expect(i, "cause", "budget");
        rows.expect(i, "method", "am");
        rows.expect(i, "tokens", r.tokens);
        rows.expect(i, "slots_before", r.slotsBefore);
        rows.expect(i, "slots_after", r.slotsAfter);
        rows.expect(i, "live_bytes_before", r.liveBytesBefore);
        rows.expect(i, "live_bytes_after", r.liveBytesAfter);
        rows.expect(i, "reference_queries", r.referenceQueries);
        rows.expect(i, "held_out_error", *r.heldOutError);
        rows.expect(i, "asked_ratio", r.requestedRatio);
        rows.expect(i, "achieved_ratio", r.achievedRatio);
        rows.expect(i, "limited", r.limited ? "true" : "false");
        rows.expect(i, "kept_information", r.kept->all);
        rows.expect(i, "kept_worst", r.kept->worst);
        rows.expect(i, "kl_mean", r.kept->klMean);
        rows.expect(i, "kl_p99", r.kept->klP99);
        rows.expect(i, "same_top", r.kept->sameTop);
        rows.expect(i, "measure_ms", r.measureMs);
        rows.expect(i, "queries_ms", r.queriesMs);
        rows.expect(i, "score_ms", r.scoreMs);
        rows.expect(i, "select_ms", r.selectMs);
        rows.expect(i, "fit_ms", r.fitMs);
        rows.expect(i, "apply_ms", r.applyMs);
        rows.expect(i, "total_ms", r.totalMs);
        rows.expect(i, "stall_ms", r.stallMs);
        rows.expect(i, "background_ms", r.backgroundMs);
        rows.expect(i, "reason", exclusionText(r.notes));
    }
    rows.expectWhole();
}

TEST(ReportFacts, csvOfSamples_hasEveryColumn) {
    const Recording recording = distinct();
    Rows rows = csvOf(recording, "samples.csv");
    ASSERT_EQ(rows.size(), 2U);
    const char* counts[] = {"time_ns", "turn", "index", "conversation", "revision", "tokens"};
    for (int i = 0; i < 5; ++i) rows.expect(1, counts[i], 101 + i);
    rows.expect(1, "tokens", 106);
    rows.expect(1, "phase", "prefill");
    rows.expect(1, "step_ms", 107.5);
    rows.expect(1, "cache_tokens", 108);
    rows.expect(1, "slots_total", 109);
    rows.expect(1, "slots_largest_head", 110);
    rows.expect(1, "logical_bytes", 3 << 20);
    rows.expect(1, "live_bytes", 1 << 20);
    rows.expect(1, "scale_bytes", 120);
    rows.expect(1, "exact_window_bytes", 121);
    rows.expect(1, "allocated_bytes", 2 << 20);
    rows.expect(1, "state_bytes", 124);
    rows.expect(1, "checkpoint_bytes", 125);
    rows.expect(1, "reallocations", 114);
    rows.expect(1, "compactions", 115);
    rows.expect(1, "compaction_enabled", 1);
    rows.expect(1, "compaction_due", 0);
    rows.expect(1, "slots", 116);
    rows.expect(1, "target", 117);
    rows.expect(1, "trigger", 118);
    rows.expect(1, "rss_bytes", 119);
    rows.expect(1, "prefix_bytes", 122);
    rows.expect(1, "prefix_disk_bytes", 123);
    rows.expectWhole();
}

TEST(ReportFacts, csvOfTurns_hasCountsAndSpeeds) {
    const Recording recording = distinct();
    Rows rows = csvOf(recording, "turns.csv");
    ASSERT_EQ(rows.size(), 3U);
    rows.expect(0, "turn", 1);
    rows.expect(0, "conversation", 3);
    rows.expect(0, "revision", 0);
    rows.expect(0, "seed", "18446744073709551615");
    rows.expect(0, "prompt_tokens", 1234);
    rows.expect(0, "reused_tokens", 34);
    rows.expect(0, "generated_tokens", 7);
    rows.expect(0, "decode_steps", 6);
    rows.expect(0, "drafted_tokens", 9);
    rows.expect(0, "accepted_tokens", 2);
    rows.expect(0, "compactions", 5);
    rows.expect(0, "reason", "stop");
    rows.expect(0, "prefill_seconds", 2.5);
    rows.expect(0, "decode_seconds", 0.25);
    rows.expect(0, "time_to_first_token_seconds", 2.625);
    rows.expect(0, "prefill_tokens_per_second", (1234 - 34) / 2.5);
    rows.expect(0, "decode_tokens_per_second", (7 - 1) / 0.25);
    rows.expect(0, "text", "'=SUM(A1), said \"she\"\nand left");
    rows.expectWhole();
    rows.expect(1, "reason", "error");
    rows.expect(1, "decode_tokens_per_second", "");
    rows.expect(2, "reason", "unfinished");
    rows.expect(2, "generated_tokens", "");
}

TEST(ReportFacts, csvOfQuality_hasMeasuredValues) {
    const Recording recording = distinct();
    Rows rows = csvOf(recording, "quality.csv");
    ASSERT_EQ(rows.size(), recording.quality.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const QualitySampled& one = recording.quality[i];
        rows.expect(i, "time_ns", one.timeNs);
        rows.expect(i, "turn", one.at.turn);
        rows.expect(i, "index", one.at.index);
        rows.expect(i, "conversation", one.conversation.value);
        rows.expect(i, "revision", one.revision.value);
        rows.expect(i, "tokens", one.sample.tokens);
        rows.expect(i, "kl", one.sample.kl);
        rows.expect(i, "same_top", one.sample.sameTop ? 1 : 0);
        rows.expect(i, "output_error",
                    one.sample.outputError ? format("{}", *one.sample.outputError) : "");
        rows.expect(i, "cost_ms", one.sample.costMs);
        rows.expect(i, "decode_ms", one.sample.decodeMs);
        rows.expect(i, "pause_ms", one.sample.pauseMs);
        rows.expect(i, "shadow_bytes", one.sample.shadowBytes);
    }
    rows.expectWhole();
}

TEST(ReportFacts, csvOfRestores_includesRefusedOnes) {
    const Recording recording = distinct();
    Rows rows = csvOf(recording, "restores.csv");
    ASSERT_EQ(rows.size(), 3U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const SpanRestored& one = recording.restores[i];
        rows.expect(i, "turn", one.at.turn);
        rows.expect(i, "index", one.at.index);
        rows.expect(i, "conversation", one.conversation.value);
        rows.expect(i, "first", one.first);
        rows.expect(i, "count", one.count);
        rows.expect(i, "for_question", one.forQuestion ? 1 : 0);
        rows.expect(i, "offered", one.offered ? 1 : 0);
        rows.expect(i, "restored_tokens", one.restoredTokens);
        rows.expect(i, "reread_tokens", one.rereadTokens);
        rows.expect(i, "kept_tokens", one.keptTokens);
        rows.expect(i, "seconds", one.seconds);
    }
    rows.expect(0, "refused", "");
    rows.expect(1, "refused", "no such tokens");
    rows.expect(2, "refused", "");
    rows.expectWhole();
}

TEST(ReportFacts, csvOfTiers_hasARowForEachFigure) {
    const Recording recording = distinct();
    const auto documents = reportCsv(recording);
    const auto csv =
        std::ranges::find(documents, "tiers.csv", &decltype(documents)::value_type::first);
    ASSERT_NE(csv, documents.end());
    std::map<std::string, std::string> figures;
    for (const Cells& row : readCsv(csv->second)) figures[row.at(0) + ' ' + row.at(1)] = row.at(2);
    EXPECT_EQ(figures["tier figure"], "value");
    EXPECT_EQ(figures["memory bytes"], std::to_string(24 << 20));
    EXPECT_EQ(figures["memory lookups"], "12");
    EXPECT_EQ(figures["memory matches_diverging"], "6");
    EXPECT_EQ(figures["memory misses_short"], "1");
    EXPECT_EQ(figures["memory saved_seconds"], "3.5");
    EXPECT_EQ(figures["disk hits"], "1");
    EXPECT_EQ(figures["disk misses_slower"], "2");
    EXPECT_EQ(figures["disk saved_seconds"], "-0.25");
    EXPECT_EQ(figures["disk last_reason"], "faster");
    EXPECT_EQ(figures["disk last_took_ms"], "10");
}

TEST(ReportFacts, csvOfConversations_hasTokensAndBytes) {
    Recording recording = distinct();
    recording.samples[1].conversation = ConversationId(3);
    recording.turns[0].started.match = PrefixMatch::Diverging;
    Rows rows = csvOf(recording, "conversations.csv");
    ASSERT_GE(rows.size(), 1U);
    rows.expect(0, "conversation", 3);
    rows.expect(0, "cache_tokens", recording.samples[1].kv.tokens);
    rows.expect(0, "live_bytes", recording.samples[1].kv.liveBytes);
    rows.expect(0, "brought_back_tokens", 7);
    rows.expect(0, "kept_tokens", 7);
    std::int64_t prompt = 0, reused = 0;
    for (const RecordedTurn& turn : recording.turns) {
        if (turn.started.conversation != ConversationId(3)) continue;
        prompt = turn.started.promptTokens;
        reused = turn.started.reusedTokens;
    }
    rows.expect(0, "prompt_tokens", prompt);
    rows.expect(0, "reused_tokens", reused);
}

/// Both documents with their text and their tables by the first cell of the header.
struct Document {
    std::map<std::string, Table> tables;
    std::string text;
};

std::vector<std::pair<std::string, Document>> documentsOf(const Recording& recording) {
    const auto made = [](const std::vector<Table>& tables, std::string text) {
        Document document{{}, std::move(text)};
        for (const Table& table : tables) document.tables[table.at(0).at(0)] = table;
        return document;
    };
    const std::string markdown = reportMarkdown(recording, {});
    const std::string html = reportHtml(recording, {});
    return {{"markdown", made(markdownTables(markdown), markdownText(markdown))},
            {"html", made(htmlTables(html), unescaped(html))}};
}

void expectSays(const Document& document, const std::string& sentence) {
    EXPECT_NE(document.text.find(sentence), std::string::npos) << sentence;
}

TEST(ReportFacts, backgroundCompaction_isOneRowInTheDocuments) {
    Recording recording = distinct();
    CompactionHappened ended = compaction(1, CompactionResult::Done);
    CompactionHappened begun = ended;
    begun.report.result = CompactionResult::Started;
    CompactionHappened unended = compaction(2, CompactionResult::Started);
    recording.compactions = {begun, unended, ended};
    for (auto& [name, document] : documentsOf(recording)) {
        SCOPED_TRACE(name);
        Rows rows(document.tables["At"]);
        ASSERT_EQ(rows.size(), 2U);
        rows.expect(0, "Outcome", "running");
        rows.expect(1, "Outcome", "limited");
    }
}

TEST(ReportFacts, documents_matchTheRecording) {
    const Recording recording = distinct();
    for (auto& [name, document] : documentsOf(recording)) {
        SCOPED_TRACE(name);
        Rows compactions(document.tables["At"]);
        ASSERT_EQ(compactions.size(), 5U);
        const int numbers[] = {3, 1, 2, 4, 5};
        const char* outcomes[] = {"limited", "limited", "done", "failed", "skipped"};
        for (std::size_t i = 0; i < 5; ++i) {
            const int n = numbers[i];
            compactions.expect(i, "At", format("turn 1, step {}", 10 + n));
            compactions.expect(i, "Outcome", outcomes[i]);
            compactions.expect(i, "Cause", "budget");
            compactions.expect(i, "Method", "am");
            compactions.expect(i, "Tokens", format("1,00{}", n));
            compactions.expect(i, "Slots before", format("200,00{}", n));
            compactions.expect(i, "Slots after", format("30,00{}", n));
            compactions.expect(i, "Live after", format("{:.1f} MiB", 5 + n * 0.25));
            compactions.expect(i, "Pause ms",
                               n % 2 == 1 ? format("{}7.25", n) : format("{}.50", 156 + n));
            compactions.expect(i, "Work ms", format("{}.50", 156 + n));
        }
        compactions.expectWhole();
        Rows tiers(document.tables["Prefix entries"]);
        ASSERT_EQ(tiers.size(), 10U);
        tiers.expect(1, "In memory", "24.0 MiB");
        tiers.expect(1, "On disk", "5.0 MiB");
        tiers.expect(4, "In memory", "9");
        tiers.expect(6, "On disk", "-0.2");
        Rows restores(document.tables["Requested at"]);
        ASSERT_EQ(restores.size(), 3U);
        restores.expect(0, "Requested by", "the user");
        restores.expect(2, "Requested by", "the question; only listed");
        restores.expect(0, "Tokens", "7");
        restores.expect(0, "From stored rows", "30");
        restores.expect(1, "Refused", "no such tokens");
        EXPECT_EQ(document.tables["Conversation"].at(0).at(1), "Prompt from");
        // Each shrank 40 MiB to 5 MiB and n quarters.
        expectSays(document, "Pause: median 37.25 ms, 90 % under 158.50 ms, longest 158.50 ms");
        expectSays(document, "Work: median 158.50 ms, 90 % under 159.50 ms, longest 159.50 ms");
        expectSays(document, "Live bytes released: 103.5 MiB");
        expectSays(document, "1 done, 2 limited, 1 skipped, 0 cancelled, 1 failed");
        expectSays(document, "Failed at turn 1, step 14: reason 4, with \"quotes\"");
        expectSays(document, "tokens generated: 7");
        expectSays(document, "Achieved ratio at the end: 3.00");
        expectSays(document, "2 of 9 samples are kept");

        Rows bytes(document.tables["Bytes"]);
        bytes.expect(0, "Bytes", "Logical (uncompressed equivalent)");
        bytes.expect(0, "At the end", "3.0 MiB");
        bytes.expect(3, "Bytes", "States of recurrent layers");
        bytes.expect(3, "At the end", "124 B");
        bytes.expect(4, "Bytes", "Checkpoints of these states");
        bytes.expect(4, "Largest", "125 B");
        expectSays(document, "With states and checkpoints on both sides: 3.00");
        bytes.expect(0, "Largest", "7.0 MiB");
        bytes.expect(1, "At the end", "1.0 MiB");
        bytes.expect(1, "Largest", "6.0 MiB");
        bytes.expect(2, "At the end", "2.0 MiB");
        bytes.expectWhole();

        Rows turns(document.tables["Turn"]);
        ASSERT_EQ(turns.size(), 3U);
        const Cells first{"1",
                          "stop",
                          "1,234",
                          "34",
                          "7",
                          "2.625",
                          "480.0",
                          "24.0",
                          "2 of 9",
                          "5",
                          "18446744073709551615"};
        const Cells names{"Turn",          "Ended by",     "Prompt",
                          "Reused",        "Answer",       "First token s",
                          "Prefill tok/s", "Decode tok/s", "Drafts accepted",
                          "Compactions",   "Seed"};
        for (std::size_t i = 0; i < names.size(); ++i) turns.expect(0, names[i], first[i]);
        turns.expectWhole();
        turns.expect(1, "Ended by", "error");
        turns.expect(2, "Ended by", "unfinished");

        Rows settings(document.tables["Key"]);
        ASSERT_EQ(settings.size(), settingSpecs().size());
        for (std::size_t i = 0; i < settingSpecs().size(); ++i) {
            const std::string key(settingSpecs()[i].key);
            settings.expect(i, "Key", key);
            const bool changed = key == "method" || key == "am_ratio" || key == "skip_layers";
            if (!changed) settings.expect(i, "At the end", settingValueText({}, key));
            settings.expect(i, "At the start", settingValueText({}, key));
            if (key == "method") settings.expect(i, "At the end", "am");
            if (key == "am_ratio") settings.expect(i, "At the end", "2.5");
            if (key == "skip_layers") settings.expect(i, "At the end", "0");
        }

        // KL 0.125 and 0.5; the same top token in one of two; cost 3 of 30 ms.
        expectSays(document, "2 samples: KL 0.3125 nats (mean), 0.5000 (largest)");
        expectSays(document, "next token in 50.0 %; attention output error 0.2500 (mean)");
        expectSays(document, "Measuring took 10.0 % of the answer time");

        const Table& model = document.tables[""];
        const auto value = [&](const std::string& key) {
            for (const Cells& row : model)
                if (row.at(0) == key) return row.at(1);
            return std::string("absent");
        };
        EXPECT_EQ(value("Model"), "small <b>model</b> (llama, Q8_0)");
        EXPECT_EQ(value("Parameters"), "29,000,000 in 29.6 MiB");
        EXPECT_EQ(value("Shape"), "2 layers, 8 heads, 2 KV heads of 64, context 4,096");
        EXPECT_EQ(value("Fingerprint"), "0123456789abcdef");
        EXPECT_EQ(value("Processor"), "Some CPU, 2 cores, avx2 kernels");
        EXPECT_EQ(value("Memory"), "8.0 GiB");
        EXPECT_EQ(value("System"), "Linux 6.1 x86_64");
    }
}

}  // namespace
}  // namespace lacuna

#include "engine/report/report_document.h"

#include <algorithm>
#include <initializer_list>

#include "engine/base/string_format.h"
#include "engine/report/report_figures.h"
#include "engine/report/report_pins.h"
#include "engine/settings/setting_spec.h"
#include "engine/values/compaction_sentences.h"
#include "engine/values/value_keys.h"

namespace lacuna {
namespace {

using Blocks = std::vector<DocumentBlock>;

/// Five lines that answer what the session cost, whether compaction worked and whether it hurt.
TableBlock inShort(const Recording& recording) {
    std::int64_t tokens = 0;
    for (const RecordedTurn& turn : recording.turns)
        tokens += turn.finished ? turn.finished->stats.generatedTokens : 0;
    std::string memory = "no steps";
    if (!recording.samples.empty()) {
        const KvStats& kv = recording.samples.back().kv;
        const auto ratio = achievedRatio(recording);
        memory = ratio ? format("{} instead of {} ({:.1f}x smaller)", bytesText(kv.liveBytes),
                                bytesText(kv.logicalBytes), *ratio)
                       : format("{}, not compacted", bytesText(kv.liveBytes));
    }
    const CompactionFigures figures = compactionFigures(recording);
    const auto quality = qualityFigures(recording);
    return {
        .columns = {"Summary", ""},
        .rows = {{"Session", format("started {} · turns: {} · tokens generated: {}",
                                    utcTime(recording.startedUnixMs), recording.turns.size(),
                                    countText(tokens))},
                 {"Cache at the end", std::move(memory)},
                 {"Compactions", format("{} done, {} limited, {} skipped, {} cancelled, {} failed",
                                        figures.count(CompactionOutcome::Done),
                                        figures.count(CompactionOutcome::Limited),
                                        figures.count(CompactionOutcome::Skipped),
                                        figures.count(CompactionOutcome::Cancelled),
                                        figures.count(CompactionOutcome::Failed))},
                 {"Pause", figures.pause.largest > 0
                               ? format("median {:.2f} ms, longest {:.2f} ms", figures.pause.median,
                                        figures.pause.largest)
                               : std::string("none")},
                 {"Answers", quality ? format("KL to the full cache {:.4f} nats, same most "
                                              "likely token in {:.1f} %",
                                              quality->klMean, quality->sameTop * 100)
                                     : std::string("loss not measured")}},
        .textColumns = 2};
}

void addSummary(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{1, "Lacuna session report"});
    blocks.push_back(inShort(recording));
    TableBlock facts{.columns = {"", ""}, .rows = {}, .textColumns = 2};
    for (const ModelFacts* known : modelsOf(recording)) {
        const ModelFacts& model = *known;
        facts.rows.push_back(
            {"Model", format("{} ({}, {})", model.name, model.architecture, model.fileType)});
        facts.rows.push_back({"Parameters", format("{} in {}", countText(model.parameters),
                                                   bytesText(model.weightBytes))});
        facts.rows.push_back(
            {"Shape", format("{} layers, {} heads, {}, context {}", model.layers, model.heads,
                             kvHeadsText(model), countText(model.context))});
        facts.rows.push_back({"Fingerprint", model.fingerprint});
        facts.rows.push_back(
            {"Precision", format("{}{}{}", keyOf(model.precision),
                                 model.precisionNote.empty() ? "" : "; ", model.precisionNote)});
    }
    if (!recording.model) facts.rows.push_back({"Model", "none was loaded"});
    const MachineFacts& machine = recording.machine;
    facts.rows.push_back(
        {"Processor", format("{}, {} cores, {} kernels", machine.cpu, machine.cores, machine.isa)});
    facts.rows.push_back({"Memory", bytesText(machine.memoryBytes)});
    facts.rows.push_back({"System", machine.system});
    blocks.push_back(std::move(facts));
}

void addCache(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Cache"});
    if (recording.samples.empty()) {
        blocks.push_back(ParagraphBlock{"There are no steps."});
        return;
    }
    std::int64_t largestLive = 0;
    std::int64_t largestLogical = 0;
    std::int64_t largestStates = 0;
    std::int64_t largestCheckpoints = 0;
    for (const StepSample& sample : recording.samples) {
        largestLive = std::max(largestLive, sample.kv.liveBytes);
        largestLogical = std::max(largestLogical, sample.kv.logicalBytes);
        largestStates = std::max(largestStates, sample.kv.stateBytes);
        largestCheckpoints = std::max(largestCheckpoints, sample.kv.checkpointBytes);
    }
    const KvStats& kv = recording.samples.back().kv;
    const auto ratio = achievedRatio(recording);
    TableBlock bytes{.columns = {"Bytes", "At the end", "Largest"},
                     .rows = {{"Logical (uncompressed equivalent)", bytesText(kv.logicalBytes),
                               bytesText(largestLogical)},
                              {"Live (used)", bytesText(kv.liveBytes), bytesText(largestLive)},
                              {"Allocated (reserved)", bytesText(kv.allocatedBytes), ""}},
                     .textColumns = 1};
    if (largestStates > 0) {
        bytes.rows.push_back(
            {"States of recurrent layers", bytesText(kv.stateBytes), bytesText(largestStates)});
        bytes.rows.push_back({"Checkpoints of these states", bytesText(kv.checkpointBytes),
                              bytesText(largestCheckpoints)});
    }
    blocks.push_back(std::move(bytes));
    const auto ratioOfAll = achievedRatioOfAll(recording);
    const std::string ofAll =
        ratioOfAll ? format(" With states and checkpoints on both sides: {:.2f}.", *ratioOfAll)
                   : "";
    blocks.push_back(ParagraphBlock{
        ratio
            ? format("Achieved ratio at the end: {:.2f} (logical over live bytes of the newest "
                     "conversation).{}",
                     *ratio, ofAll)
            : "Nothing was compacted in the newest conversation, so there is no achieved ratio."});
    if (recording.samplesSeen > static_cast<std::int64_t>(recording.samples.size()))
        blocks.push_back(
            ParagraphBlock{format("{} of {} samples are kept; the others were thinned out.",
                                  countText(static_cast<std::int64_t>(recording.samples.size())),
                                  countText(recording.samplesSeen))});
}

void addCompactions(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Compactions"});
    if (recording.compactions.empty()) {
        blocks.push_back(ParagraphBlock{"There were no compactions."});
        return;
    }
    const CompactionFigures figures = compactionFigures(recording);
    const auto times = [](const CompactionFigures::Times& of) {
        return format("median {:.2f} ms, 90 % under {:.2f} ms, longest {:.2f} ms", of.median,
                      of.p90, of.largest);
    };
    blocks.push_back(
        ParagraphBlock{format("Pause: {}. Work: {}. Live bytes released: {}.", times(figures.pause),
                              times(figures.work), bytesText(figures.bytesSaved))});
    TableBlock table{.columns = {"At", "Outcome", "Cause", "Method", "Tokens", "Slots before",
                                 "Slots after", "Live after", "Pause ms", "Work ms"},
                     .rows = {},
                     .textColumns = 4};
    constexpr std::size_t kMaxRows = 200;
    const std::vector<const CompactionHappened*> compactions = compactionsOf(recording);
    for (const CompactionHappened* happened : compactions) {
        if (table.rows.size() == kMaxRows) break;
        const CompactionReport& r = happened->report;
        table.rows.push_back({format("turn {}, step {}", happened->at.turn, happened->at.index),
                              std::string(keyOf(outcomeOf(r))), std::string(keyOf(r.cause)),
                              std::string(keyOf(r.method)), countText(r.tokens),
                              countText(r.slotsBefore), countText(r.slotsAfter),
                              bytesText(r.liveBytesAfter), format("{:.2f}", r.pauseMs()),
                              format("{:.2f}", r.workMs())});
    }
    const std::size_t left = compactions.size() - table.rows.size();
    blocks.push_back(std::move(table));
    if (left > 0) blocks.push_back(ParagraphBlock{format("{} more are in compactions.csv.", left)});
    for (const CompactionHappened& happened : recording.compactions)
        if (outcomeOf(happened.report) == CompactionOutcome::Failed)
            blocks.push_back(
                ParagraphBlock{format("Failed at turn {}, step {}: {}", happened.at.turn,
                                      happened.at.index, exclusionText(happened.report.notes))});
}

/// Describes the prefix cache, tier by tier.
void addKeptTexts(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Prefix cache"});
    if (!recording.kept || recording.kept->stats.lookups == 0) {
        blocks.push_back(ParagraphBlock{"No prompt was looked up in the prefix cache."});
        return;
    }
    const auto& [memory, disk] = *recording.kept;
    const auto limit = [](std::int64_t bytes) {
        return bytes > 0 ? bytesText(bytes) : std::string("off");
    };
    TableBlock tiers{
        .columns = {"Prefix entries", "In memory", "On disk"},
        .rows = {{"Limit", limit(memory.limitBytes), limit(disk.limitBytes)},
                 {"Bytes", bytesText(memory.bytes), bytesText(disk.bytes)},
                 {"Entries, or pages on disk", countText(memory.entries), countText(disk.files)},
                 {"Lookups", countText(memory.lookups), countText(disk.lookups)},
                 {"Found", countText(memory.hits()), countText(disk.hits)},
                 {"Tokens reused", countText(memory.tokensReused), countText(disk.tokensReused)},
                 {"Seconds saved", format("{:.1f}", memory.savedSeconds),
                  format("{:.1f}", disk.savedSeconds)}}};
    for (const auto& [miss, key] : kKeys<PrefixMiss>) {
        const auto place = static_cast<std::size_t>(miss);
        if (memory.misses[place] == 0 && disk.misses[place] == 0) continue;
        tiers.rows.push_back({format("Not found: {}", key), countText(memory.misses[place]),
                              countText(disk.misses[place])});
    }
    blocks.push_back(std::move(tiers));
    if (!disk.problem.empty()) blocks.push_back(ParagraphBlock{format("Disk: {}.", disk.problem)});
}

void addConversationCaches(const Recording& recording, Blocks& blocks) {
    const auto figures = conversationFigures(recording);
    if (figures.empty()) return;
    blocks.push_back(HeadingBlock{3, "Conversations"});
    TableBlock table{.columns = {"Conversation", "Prompt from", "Tokens", "Live", "Prompt",
                                 "Reused", "Restored", "Kept"},
                     .rows = {},
                     .textColumns = 2};
    for (const ConversationFigures& one : figures)
        table.rows.push_back({format("{}", one.conversation.value), one.from, countText(one.tokens),
                              bytesText(one.liveBytes), countText(one.promptTokens),
                              countText(one.reusedTokens), countText(one.evictedRestored),
                              countText(one.keptTokens)});
    blocks.push_back(std::move(table));
}

/// Returns the origin of a restore, and its outcome unless it is obvious.
std::string askedText(const SpanRestored& one) {
    if (!one.forQuestion) return "the user";
    if (one.error) return "the question";
    if (one.offered) return "the question; only listed";
    return one.count == 0 ? "the question; nothing needed" : "the question";
}

/// Lists evicted tokens that were restored.
void addRestores(const Recording& recording, Blocks& blocks) {
    if (recording.restores.empty()) return;
    blocks.push_back(HeadingBlock{2, "Restored tokens"});
    TableBlock table{
        .columns = {"Requested at", "Requested by", "Conversation", "Refused", "First", "Tokens",
                    "From stored rows", "Read again", "Kept after", "Seconds"},
        .rows = {},
        .textColumns = 4};
    for (const SpanRestored& one : recording.restores)
        table.rows.push_back({format("turn {}, step {}", one.at.turn, one.at.index), askedText(one),
                              format("{}", one.conversation.value),
                              one.error ? one.error->what : std::string(), countText(one.first),
                              countText(one.count), countText(one.restoredTokens),
                              countText(one.rereadTokens), countText(one.keptTokens),
                              format("{:.3f}", one.seconds)});
    blocks.push_back(std::move(table));
}

void addQuality(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Quality"});
    const auto figures = qualityFigures(recording);
    if (!figures) {
        blocks.push_back(ParagraphBlock{
            "Not measured: every cache held its full text, or no pause was long enough."});
        return;
    }
    blocks.push_back(ParagraphBlock{format(
        "The compacted cache compared with the full cache, {} samples: KL {:.4f} nats (mean), "
        "{:.4f} (largest); same most likely next token in {:.1f} %{}. Measuring took {:.1f} % of "
        "the answer time.",
        countText(figures->samples), figures->klMean, figures->klLargest, figures->sameTop * 100,
        figures->outputError
            ? format("; attention output error {:.4f} (mean)", *figures->outputError)
            : std::string(),
        figures->costShare * 100)});
}

void addSettings(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Settings"});
    TableBlock start{
        .columns = {"Key", "At the start", "At the end"}, .rows = {}, .textColumns = 3};
    const EngineConfig& last = lastShared(recording);
    for (const SettingSpec& spec : settingSpecs())
        start.rows.push_back({std::string(spec.key),
                              settingValueText(recording.initialConfig, spec.key),
                              settingValueText(last, spec.key)});
    blocks.push_back(std::move(start));
    if (recording.generations.empty() && recording.rejections.empty()) return;
    TableBlock changes{
        .columns = {"Generation", "At", "Outcome", "For", "Change"}, .rows = {}, .textColumns = 5};
    for (const auto& [applied, scope, change] : changeRows(recording))
        changes.rows.push_back({format("{}", applied->revision.value),
                                format("turn {}, step {}", applied->at.turn, applied->at.index),
                                "applied", scope, change});
    for (const ConfigRejected& rejected : recording.rejections)
        for (const RuleViolation& violation : rejected.violations)
            changes.rows.push_back({format("{}", rejected.revision.value), "", "rejected", "",
                                    format("{}: {}", violation.rule, violation.sentence)});
    blocks.push_back(HeadingBlock{3, "Changes"});
    blocks.push_back(std::move(changes));
}

void addTurns(const Recording& recording, Blocks& blocks) {
    blocks.push_back(HeadingBlock{2, "Turns"});
    if (recording.turns.empty()) {
        blocks.push_back(ParagraphBlock{"There were no turns."});
        return;
    }
    const bool several = modelsOf(recording).size() > 1;
    TableBlock table{
        .columns = {"Turn", "Ended by", "Prompt", "Reused", "Answer", "First token s",
                    "Prefill tok/s", "Decode tok/s", "Drafts accepted", "Compactions", "Seed"},
        .rows = {},
        .textColumns = 2};
    if (several) table.columns.emplace_back("Model");
    for (const RecordedTurn& turn : recording.turns) {
        std::vector<std::string> row{format("{}", turn.started.turn),
                                     "unfinished",
                                     countText(turn.started.promptTokens),
                                     countText(turn.started.reusedTokens),
                                     "",
                                     "",
                                     "",
                                     "",
                                     "",
                                     "",
                                     format("{}", turn.started.seed)};
        if (turn.finished) {
            const TurnStats& stats = turn.finished->stats;
            row[1] = keyOf(turn.finished->reason);
            row[4] = countText(stats.generatedTokens);
            const auto first = firstTokenSeconds(*turn.finished);
            row[5] = first ? format("{:.3f}", *first) : "-";
            row[6] = figureText(prefillSpeed(*turn.finished));
            row[7] = figureText(decodeSpeed(*turn.finished));
            if (stats.draftedTokens > 0)
                row[8] = format("{} of {}", countText(stats.acceptedTokens),
                                countText(stats.draftedTokens));
            row[9] = countText(stats.compactions);
        }
        if (several) {
            const ModelFacts* const model = modelOf(recording, turn);
            row.push_back(model != nullptr ? model->name : std::string("unknown"));
        }
        table.rows.push_back(std::move(row));
    }
    blocks.push_back(std::move(table));
}

void addNotices(const Recording& recording, Blocks& blocks) {
    if (recording.notices.empty()) return;
    blocks.push_back(HeadingBlock{2, "Notices"});
    for (const std::string& notice : recording.notices) blocks.push_back(ParagraphBlock{notice});
}

/// Lists the words protected from compactions, which are also highlighted in the messages.
void addPins(const Recording& recording, const std::vector<RecordedPin>& pins, Blocks& blocks) {
    const std::vector<LaterPins> later = laterPinsOf(recording);
    if (pins.empty() && later.empty()) return;
    blocks.push_back(HeadingBlock{2, "Pinned words"});
    TableBlock table{
        .columns = {"Conversation", "Since", "Role", "Words"}, .rows = {}, .textColumns = 4};
    for (const RecordedPin& pin : pins)
        table.rows.push_back({format("{}", pin.conversation.value), format("turn {}", pin.turn),
                              pin.message->role, std::string(pin.words())});
    for (const LaterPins& one : later) {
        std::string tokens;
        for (const TokenSpan& span : one.spans)
            tokens += format("{}{} to {}", tokens.empty() ? "tokens " : ", ", span.first,
                             std::max(span.first, span.last - 1));
        table.rows.push_back({format("{}", one.conversation.value),
                              format("after turn {}", one.turn), std::string(), std::move(tokens)});
    }
    blocks.push_back(std::move(table));
}

/// Shortens a long pasted text to its beginning and end. The screen documents have all of it.
void shortenQuote(QuoteBlock& quote) {
    constexpr std::size_t kMost = 1200, kHead = 700, kTail = 200;  ///< bytes
    std::string& text = quote.text;
    if (text.size() <= kMost) return;
    const auto boundary = [&text](std::size_t at) {
        while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
        return at;
    };
    const std::size_t head = boundary(kHead), tail = boundary(text.size() - kTail);
    std::string note = format("\n[{} characters are in report.html]\n",
                              countText(static_cast<std::int64_t>(tail - head)));
    for (auto& [first, last] : quote.pinned) {
        const auto moved = [&](std::size_t at) {
            return at <= head ? at : head + note.size() + (at >= tail ? at - tail : 0);
        };
        first = moved(first);
        last = moved(last);
    }
    std::erase_if(quote.pinned, [](const auto& span) { return span.first >= span.second; });
    text.replace(head, tail - head, note);
}

void addConversation(const Recording& recording, Blocks& blocks) {
    if (recording.turns.empty()) return;
    const std::vector<RecordedPin> pins = pinsOf(recording);
    addPins(recording, pins, blocks);
    blocks.push_back(HeadingBlock{2, "Messages"});
    for (const RecordedTurn& turn : recording.turns) {
        const ConversationId conversation = turn.started.conversation;
        const auto quote = [&](const std::string& speaker, const std::string& text) {
            blocks.push_back(QuoteBlock{speaker, text, pinnedIn(pins, conversation, text)});
        };
        blocks.push_back(HeadingBlock{
            3, format("Turn {} (conversation {})", turn.started.turn, conversation.value)});
        if (!turn.started.messages.empty()) {
            const ChatMessage& asked = turn.started.messages.back();
            quote(asked.role, asked.content);
        }
        if (!turn.started.reuseNote.empty())
            blocks.push_back(ParagraphBlock{turn.started.reuseNote});
        if (!turn.finished) continue;
        if (!turn.finished->text.empty()) quote("assistant", turn.finished->text);
        if (turn.finished->error) blocks.push_back(ParagraphBlock{describe(*turn.finished->error)});
    }
}

void eraseColumn(TableBlock& table, std::size_t column) {
    const auto erase = [column](std::vector<std::string>& cells) {
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(column));
    };
    erase(table.columns);
    for (auto& row : table.rows) erase(row);
    if (column < table.textColumns) --table.textColumns;
}

/// Places the second half of the rows in additional columns at the right.
void foldTable(TableBlock& table) {
    const std::size_t half = (table.rows.size() + 1) / 2;
    const std::vector<std::string> none(table.columns.size());
    for (std::size_t i = 0; i < half; ++i) {
        const auto& right = half + i < table.rows.size() ? table.rows[half + i] : none;
        table.rows[i].insert(table.rows[i].end(), right.begin(), right.end());
    }
    table.rows.resize(half);
    const std::vector<std::string> columns = table.columns;
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
    table.textColumns = table.columns.size();
}

/// Removes columns that only identify a row or are empty, and folds long lists of short words.
void fitToPaper(TableBlock& table) {
    constexpr std::size_t kLong = 20;
    for (std::size_t column = table.columns.size(); column-- > 1;) {
        const bool filled = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
            return column < row.size() && !row[column].empty();
        });
        if (!table.columns[column].empty() && (table.columns[column] == "Seed" || !filled))
            eraseColumn(table, column);
    }
    const bool texts = table.textColumns == table.columns.size();
    if (table.rows.size() >= kLong && texts && table.columns.size() <= 3) foldTable(table);
}

/// Replaces long names and ids by the numbers of the model and the conversation.
void numberNames(const Recording& recording, Blocks& blocks) {
    std::vector<std::pair<std::string, std::string>> models, conversations;
    for (const ModelFacts* model : modelsOf(recording))
        models.emplace_back(model->name, format("{}", models.size() + 1));
    for (const RecordedTurn& turn : recording.turns) {
        const std::string id = format("{}", turn.started.conversation.value);
        const auto known = std::any_of(conversations.begin(), conversations.end(),
                                       [&id](const auto& one) { return one.first == id; });
        if (!known) conversations.emplace_back(id, format("{}", conversations.size() + 1));
    }
    const auto numberOf = [](const auto& names, std::string& cell) {
        for (const auto& [name, number] : names)
            if (cell == name) {
                cell = number;
                return;
            }
    };
    std::size_t named = 0;
    for (DocumentBlock& block : blocks) {
        if (auto* const heading = std::get_if<HeadingBlock>(&block))
            for (const auto& [id, number] : conversations) {
                const std::string ending = format("(conversation {})", id);
                if (heading->text.ends_with(ending))
                    heading->text.replace(heading->text.size() - ending.size(), ending.size(),
                                          format("(conversation {})", number));
            }
        auto* const table = std::get_if<TableBlock>(&block);
        if (table == nullptr) continue;
        for (auto& row : table->rows) {
            for (std::size_t column = 0; column < row.size(); ++column) {
                if (table->columns[column] == "Model") numberOf(models, row[column]);
                if (table->columns[column] == "Conversation") numberOf(conversations, row[column]);
            }
            const bool fact = table->columns[0].empty() && row[0] == "Model";
            if (fact && models.size() > 1) row[0] = format("Model {}", ++named);
        }
    }
}

}  // namespace

std::vector<DocumentBlock> reportDocument(const Recording& recording,
                                          std::span<const ReportImage> images,
                                          ReportSections sections, ReportMedium medium) {
    Blocks blocks;
    const auto wanted = [&sections](ReportSection section) {
        return sections.test(static_cast<std::size_t>(section));
    };
    using Add = void (*)(const Recording&, Blocks&);
    const auto add = [&](ReportSection section, std::initializer_list<Add> parts) {
        if (!wanted(section)) return;
        for (const Add part : parts) part(recording, blocks);
    };
    addSummary(recording, blocks);
    if (wanted(ReportSection::Pictures))
        for (const ReportImage& image : images) blocks.push_back(ImageBlock{image});
    add(ReportSection::Cache, {addCache});
    add(ReportSection::Turns, {addTurns});
    add(ReportSection::Compactions, {addCompactions, addRestores});
    add(ReportSection::Memory, {addKeptTexts, addConversationCaches});
    add(ReportSection::Quality, {addQuality});
    add(ReportSection::Settings, {addSettings});
    add(ReportSection::Notices, {addNotices});
    add(ReportSection::Conversation, {addConversation});
    if (medium == ReportMedium::Screen) return blocks;
    numberNames(recording, blocks);
    for (DocumentBlock& block : blocks) {
        if (auto* const table = std::get_if<TableBlock>(&block)) fitToPaper(*table);
        if (auto* const quote = std::get_if<QuoteBlock>(&block)) shortenQuote(*quote);
    }
    return blocks;
}

}  // namespace lacuna

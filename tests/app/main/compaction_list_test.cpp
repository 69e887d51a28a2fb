#include "app/main/compaction_list.h"

#include <gtest/gtest.h>

namespace lacuna::cli {
namespace {

CompactionReport told(std::int64_t id, CompactionResult result, std::int64_t after = 0) {
    CompactionReport report;
    report.id = id;
    report.result = result;
    report.slotsBefore = 8192;
    report.slotsAfter = after == 0 ? 8192 : after;
    report.liveBytesBefore = 3 << 20;
    report.liveBytesAfter = after == 0 ? 3 << 20 : 1 << 20;
    if (result == CompactionResult::Failed)
        report.notes = {noteOf(CompactionReason::Failed, "no memory was left")};
    return report;
}

TEST(CompactionList, startedCompaction_isUnfinishedWithoutFigures) {
    CompactionList list;
    list.add(told(1, CompactionResult::Started));
    EXPECT_TRUE(list.unfinished());
    EXPECT_EQ(list.counts(), "1 compaction not finished");
    ASSERT_EQ(list.json().size(), 1U);
    EXPECT_EQ(list.json()[0]["result"], "not_finished");
    EXPECT_TRUE(list.json()[0]["slots_after"].is_null());
    EXPECT_TRUE(list.json()[0]["live_bytes_after"].is_null());
    EXPECT_NE(list.sentences().at(0).find("not finished"), std::string::npos);
}

TEST(CompactionList, startAndEnd_areOneCompaction) {
    for (const auto& [end, word] : {std::pair{CompactionResult::Done, "done"},
                                    {CompactionResult::Failed, "failed"},
                                    {CompactionResult::Aborted, "cancelled"}}) {
        CompactionList list;
        list.add(told(1, CompactionResult::Started));
        list.add(told(1, end, 2048));
        EXPECT_FALSE(list.unfinished());
        EXPECT_EQ(list.all().size(), 1U);
        EXPECT_EQ(list.counts(), std::string("1 compaction ") + word);
    }
}

TEST(CompactionList, compactionBetweenStartAndEnd_isASeparateEntry) {
    CompactionList list;
    list.add(told(1, CompactionResult::Started));
    list.add(told(2, CompactionResult::Skipped));
    EXPECT_EQ(list.counts(), "1 compaction skipped, 1 not finished");
    list.add(told(1, CompactionResult::Done, 2048));
    EXPECT_EQ(list.counts(), "1 compaction done, 1 skipped");
    EXPECT_EQ(list.sentences().front(), "compaction 1 done: 8,192 to 2,048 slots, 3.0 to 1.0 MiB");
    EXPECT_EQ(CompactionList().counts(), "no compaction");
}

TEST(CompactionList, limitedCompaction_isDoneAndCountedSeparately) {
    CompactionList list;
    CompactionReport limited = told(1, CompactionResult::Done, 2048);
    limited.limited = true;
    list.add(limited);
    list.add(told(2, CompactionResult::Done, 2048));
    EXPECT_EQ(list.counts(), "2 compactions done (1 limited)");
}

}  // namespace
}  // namespace lacuna::cli

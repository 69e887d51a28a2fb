// Window threads that the system refuses to create, and work on them that throws.

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include "app/state/files/work_thread.h"
#include "app/state/storage/conversation_storage.h"
#include "tests/app/core_application.h"
#include "tests/support/refused_threads.h"

namespace lacuna::app {
namespace {

TEST(WorkThread, tasks_runInOrder_withAndWithoutAThread) {
    for (const int allowed : {1, 0}) {
        const test::RefusedThreads refused(allowed);
        std::vector<int> done;
        {
            WorkThread work([](const Error&) {});
            for (int i = 0; i < 100; ++i) work.start([&done, i] { done.push_back(i); });
        }
        ASSERT_EQ(done.size(), 100U) << "what was started is done before its end";
        EXPECT_TRUE(std::ranges::is_sorted(done));
    }
}

TEST(WorkThread, exceptionOfATask_isReportedAndTheNextTaskRuns) {
    for (const int allowed : {1, 0}) {
        const test::RefusedThreads refused(allowed);
        std::vector<ErrorCode> told;
        bool next = false;
        {
            WorkThread work([&told](const Error& error) { told.push_back(error.code); });
            work.start([] { throw std::bad_alloc(); });
            work.start([] { throw std::runtime_error("another"); });
            work.start([&next] { next = true; });
        }
        EXPECT_EQ(told, (std::vector{ErrorCode::NoMemory, ErrorCode::Internal}));
        EXPECT_TRUE(next);
    }
}

TEST(ConversationStorage, storageWithoutAThread_stillWrites) {
    coreApplication();
    const QTemporaryDir folder;
    const auto record = [](qint64 id) {
        ConversationRecord made;
        made.id = id;
        ChatLine line;
        line.text = QStringLiteral("kept");
        made.lines = {line};
        return made;
    };
    {
        const test::RefusedThreads refused;
        ConversationStorage storage(folder.path(), record);
        storage.open();
        storage.touch(3);
    }
    auto opened = ConversationDatabase::open(folder.path());
    ASSERT_TRUE(opened.database);
    const auto lines = opened.database->lines(3);
    ASSERT_TRUE(lines);
    ASSERT_EQ(lines->lines.size(), 1);
    EXPECT_EQ(lines->lines.front().text, QStringLiteral("kept"));
}

}  // namespace
}  // namespace lacuna::app

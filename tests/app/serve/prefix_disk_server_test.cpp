// A restarted server that uses the folder of its predecessor.

#include <gtest/gtest.h>

#include "tests/app/serve/exposition_text.h"
#include "tests/app/serve/pilot_server.h"
#include "tests/support/poll_until.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

app::ServeOptions pilotWithDisk(const std::filesystem::path& folder) {
    app::ServeOptions options = pilot(2);
    options.config.prefixDiskMiB = 64;
    options.profileFolder = folder;
    return options;
}

TEST(ServerPrefixDisk, promptAfterARestart_isReusedFromDisk_cacheCanBeCleared) {
    const TemporaryFolder folder;
    std::string prompt;
    for (int i = 0; i < 40; ++i) prompt += "A river runs from the hills to the sea. ";
    const OrderedJson asked{{"prompt", prompt}, {"id_slot", 0}};
    OrderedJson first;
    {
        Server server(pilotWithDisk(folder.path()));
        ASSERT_NE(server.port, 0);
        first = server.json("/completion", asked);
        EXPECT_EQ(first["timings"]["cache_n"], 0);
    }
    Server server(pilotWithDisk(folder.path()));
    ASSERT_NE(server.port, 0);
    const OrderedJson again = server.json("/completion", asked);
    EXPECT_GT(again["timings"]["cache_n"].get<int>(), 256);
    EXPECT_EQ(again["content"], first["content"]);
    const auto disk = [&] {
        return OrderedJson::parse(server.get("/admin/api/cache/status").body)["prefix_disk"];
    };
    EXPECT_EQ(disk()["hits"], 1);
    EXPECT_GT(disk()["bytes"].get<std::int64_t>(), 0);
    EXPECT_EQ(
        readExposition(server.get("/metrics").body).of("lacuna_ssd_promote_total{result=\"done\"}"),
        1);
    EXPECT_EQ(ask(server.port, server.request("DELETE /admin/api/cache?tier=ssd")).status, 200);
    EXPECT_TRUE(pollUntil([&] { return disk()["entries"] == 0; }));
}

}  // namespace
}  // namespace lacuna::test

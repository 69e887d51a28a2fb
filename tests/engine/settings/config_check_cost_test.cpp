// A check may run at every tick of a slider and must not copy the configuration. The operator new
// of this program counts blocks of one size, which only a copy of the configuration below
// allocates.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

#include "engine/settings/config_check.h"

namespace {
constexpr std::size_t kLayers = 1201;
constexpr std::size_t kMarkBytes = kLayers * sizeof(int);
std::atomic<int> copies{0};

void* counted(std::size_t bytes) {
    if (bytes == kMarkBytes) ++copies;
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes);
}
void* operator new[](std::size_t bytes) {
    return counted(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace lacuna {
namespace {

EngineConfig marked() {
    EngineConfig config;
    config.kv.skipLayers.resize(kLayers);
    std::iota(config.kv.skipLayers.begin(), config.kv.skipLayers.end(), 0);
    return config;
}

template <class Work>
int copiesDuring(const Work& work) {
    const int before = copies;
    work();
    return copies - before;
}

TEST(CheckCost, violations_copyNoConfiguration) {
    EngineConfig config = marked();
    EXPECT_EQ(copiesDuring([&] { static_cast<void>(EngineConfig(config)); }), 1) << "it counts";
    EXPECT_EQ(copiesDuring([&] { EXPECT_TRUE(violationsOf(config, nullptr, {}).empty()); }), 0);
    config.kv.amRatio = 60;
    config.kv.budget = 3;
    EXPECT_EQ(copiesDuring([&] { EXPECT_FALSE(violationsOf(config, nullptr, {}).empty()); }), 0);
}

TEST(CheckCost, readingAndWritingASetting_copiesNoConfiguration) {
    EngineConfig config = marked();
    EXPECT_EQ(copiesDuring([&] {
                  for (const SettingSpec& spec : settingSpecs()) {
                      if (spec.field.kind == SettingKind::IntegerList)
                          continue;  // the marker itself
                      const SettingValue value = settingOf(config, spec);
                      setSetting(config, spec, value);
                      EXPECT_FALSE(changeSetting(config, spec.key, settingText(spec, value)));
                  }
              }),
              0);
}

}  // namespace
}  // namespace lacuna

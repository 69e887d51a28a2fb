// Facts of the machine come from /proc and /sys. A value that cannot be read keeps its neutral
// default, which disables the rules that depend on it.

#include "engine/session/read_facts.h"
#include "engine/generate/compaction_inputs.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/head_profile.h"
#include "engine/generate/surrogate_file.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/layer_bits.h"
#include "engine/model/context_shift.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

/// Returns the value of a line "name<spaces>: value"; empty for any other line.
std::string_view fieldOf(std::string_view line, std::string_view name) {
    if (!line.starts_with(name)) return {};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view between = line.substr(name.size(), colon - name.size());
    if (between.find_first_not_of(" \t") != std::string_view::npos) return {};
    line.remove_prefix(colon + 1);
    const std::size_t start = line.find_first_not_of(' ');
    return start == std::string_view::npos ? std::string_view{} : line.substr(start);
}

std::int64_t leadingNumber(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

int allowedCpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
}

struct Cpu {
    std::string name;
    int cores = 1;
};

Cpu readCpu() {
    Cpu cpu;
    std::set<std::pair<std::int64_t, std::int64_t>> cores;
    std::int64_t package = 0;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (const auto name = fieldOf(line, "model name"); !name.empty() && cpu.name.empty())
            cpu.name = name;
        if (const auto id = fieldOf(line, "physical id"); !id.empty()) package = leadingNumber(id);
        if (const auto id = fieldOf(line, "core id"); !id.empty())
            cores.emplace(package, leadingNumber(id));
    }
    const int allowed = allowedCpus();
    cpu.cores = cores.empty() ? allowed : std::min(allowed, static_cast<int>(cores.size()));
    if (cpu.name.empty()) cpu.name = "unknown";
    return cpu;
}

void readMemory(MachineFacts& facts) {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (const auto total = fieldOf(line, "MemTotal"); !total.empty())
            facts.memoryBytes = leadingNumber(total) * 1024;
        if (const auto free = fieldOf(line, "MemAvailable"); !free.empty())
            facts.availableBytes = leadingNumber(free) * 1024;
    }
    std::ifstream limitFile("/sys/fs/cgroup/memory.max");  // "max" or bytes; in containers
    std::string limit;
    if (std::getline(limitFile, limit)) {
        const std::int64_t bytes = leadingNumber(limit);
        if (bytes > 0) facts.memoryBytes = std::min(facts.memoryBytes, bytes);
    }
    facts.availableBytes = std::min(facts.availableBytes, facts.memoryBytes);
}

std::string systemName() {
    utsname names{};
    if (::uname(&names) != 0) return "unknown";
    const std::string_view release(names.release);
    const std::size_t major = release.find('.');
    const std::size_t minor =
        major == std::string_view::npos ? major : release.find('.', major + 1);
    return format("{} {} {}", names.sysname, release.substr(0, minor), names.machine);
}

/// Returns true if a head profile made with questions is stored next to the model and fits it.
bool hasQuestionsProfile(const LoadedModel& model) {
    const ModelSpec& spec = model.spec;
    const auto found = loadHeadProfiles(model.path, profiledModelOf(spec));
    return found && found->questions != nullptr;
}

bool hasSurrogate(const LoadedModel& model, const std::filesystem::path& kept) {
    const auto found = loadSurrogate(model.path, model.spec, kept);
    return found && *found != nullptr;
}

std::string shiftNote(const ModelSpec& spec) {
    const Status shiftable = checkShiftable(spec);
    return shiftable ? std::string() : shiftable.error().what;
}

std::vector<int> cacheLayersOf(const ModelSpec& spec) {
    std::vector<int> layers;
    if (spec.uniformCache()) return layers;
    for (int layer = 0; layer < spec.layers; ++layer) layers.push_back(spec.cacheLayer(layer));
    return layers;
}

}  // namespace

ModelFacts factsOf(const LoadedModel& model, const std::filesystem::path& kept) {
    const ModelSpec& spec = model.spec;
    return {.path = model.path.string(),
            .name = spec.name,
            .architecture = spec.architecture,
            .fileType = spec.fileType,
            .licence = spec.licence,
            .fingerprint = spec.fingerprint,
            .templateNote = model.templateNote,
            .parameters = static_cast<std::int64_t>(spec.parameters),
            .weightBytes = static_cast<std::int64_t>(spec.weightBytes),
            .residentBytes = static_cast<std::int64_t>(spec.residentBytes),
            .layers = spec.layers,
            .heads = spec.heads,
            .kvHeads = spec.kvHeads,
            .headDim = spec.headDim,
            .extents = cacheModelOf(spec).extents,
            .cacheLayers = cacheLayersOf(spec),
            .mixers = spec.mixers,
            .vocabulary = spec.vocabulary,
            .context = spec.context,
            .windows = cacheModelOf(spec).windows,
            .precision = Precision::Fast,
            .questionsProfile = hasQuestionsProfile(model),
            .surrogate = hasSurrogate(model, kept),
            .rotaryVaries = spec.rope.scaling == RopeSpec::Scaling::Dynamic ||
                            spec.rope.scaling == RopeSpec::Scaling::LongRope,
            .normedAfterRotary = spec.qkNormAfterRotary,
            .rotations = model.rotations,
            .rotationsHash = model.rotations ? model.rotations->hash() : std::string(),
            .rotationsNote = model.rotationsNote,
            .layerLoss = model.layerLoss,
            .layerLossHash = model.layerLoss ? model.layerLoss->hash() : std::string(),
            .layerLossNote = model.layerLossNote,
            .draftBlock = model.weights.draft != nullptr,
            .shiftNote = shiftNote(spec),
            .keysNormalised = spec.qkNorm != QkNorm::None};
}

MachineFacts machineFacts() {
    MachineFacts facts;
    const Cpu cpu = readCpu();
    facts.cpu = cpu.name;
    facts.isa = bestKernels().name;
    facts.cores = cpu.cores;
    facts.system = systemName();
    readMemory(facts);
    return facts;
}

}  // namespace lacuna

#include "engine/session/prefix_sharing.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <unordered_set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/compress/family_policy.h"
#include "engine/generate/prompt_cache.h"
#include "engine/generate/transform_file.h"
#include "engine/kv/kv_factory.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/setting_value.h"
#include "engine/values/value_keys.h"

namespace lacuna {
namespace {

std::int64_t limitOf(const EngineConfig& config, bool keepsAll) {
    const auto bytes = static_cast<std::int64_t>(config.prefixCacheMiB * kMiB);
    return bytes > 0 && keepsAll ? std::numeric_limits<std::int64_t>::max() : bytes;
}

std::int64_t diskLimitOf(const EngineConfig& config) {
    return static_cast<std::int64_t>(config.prefixDiskMiB * kMiB);
}

// Tokens at the end of a prompt that are read so that policies can observe their queries: four
// observation windows.
constexpr std::int64_t kObservedTokens = 256;

/// Returns how many of the newest prompt tokens must be read even if they are stored, because an
/// eviction is judged by their queries. Attention matching needs none: it rereads the text for its
/// queries.
std::int64_t observed(const KvOptions& kv, const ModelFacts& model, std::int64_t prompt) {
    if (kv.method != CompactionMethod::Eviction) return 0;
    // Without a surrogate there are no scores, and auto resolves to the policy of the family.
    const EvictionPolicy policy =
        kv.evictionPolicy == EvictionPolicy::Auto && !model.surrogate
            ? policyForFamily(model.architecture, model.keysNormalised).policy
            : policyInEffect(kv);
    if (!watchesQueries(policy)) return 0;
    if (policy == EvictionPolicy::TriAttention && model.queryCentres) return 0;
    return policy == EvictionPolicy::H2O ? prompt : std::min(prompt, kObservedTokens);
}

/// Returns the maximum number of prompt tokens that may come from the prefix cache.
std::optional<std::int64_t> mostStored(const KvOptions& kv, const ModelFacts& model,
                                       const PrefixSharing::Request& request) {
    const auto tokens = static_cast<std::int64_t>(request.prompt.size());
    const std::int64_t read = observed(kv, model, tokens);
    if (read == 0) return request.most;
    return std::min(request.most.value_or(tokens), tokens - read);
}

/// Returns true if the conversation's own cache is compacted and the prompt starts with all of its
/// text. Always false in a replay, where the recording limits what is reused.
bool continuesCompacted(const PrefixSharing::Request& request, const Sequence& sequence,
                        std::int64_t held) {
    return !request.most && held > 0 &&
           held == static_cast<std::int64_t>(sequence.tokens().size()) &&
           sequence.cache().stats().compactions > 0;
}

/// Formats the loading facts for the log.
std::string loadFacts(const std::optional<PrefixLoad>& load) {
    if (!load) return "disk=none";
    return format("disk={} tokens={} bytes={} load_ms={:.1f} compute_ms={:.1f} took_ms={:.1f}",
                  keyOf(load->reason), load->tokens, load->bytes, load->loadMs, load->computeMs,
                  load->tookMs);
}

}  // namespace

PrefixSpaces prefixSpaces(const ModelFacts& model, const EngineConfig& config,
                          const std::string& salt, std::optional<Precision> rows) {
    const CacheModel shape = cacheModelOf(model);
    const Precision precision =
        rows ? *rows : precisionOf(config.precision, [&model] { return model.precision; });
    std::string whole = format("model {}; precision {}", model.fingerprint, keyOf(precision));
    const auto add = [&](std::string_view key) {
        whole += format("; {} {}", key, settingValueText(config, key));
    };
    for (const char* key : {"kv_type", "v_type", "window", "layer_caches"}) add(key);
    if (config.kv.rotated()) {
        whole += format("; rotation {} {}", rotationInUse(shape, config.kv), model.rotationsHash);
        for (const char* key : {"exact_window", "extra_bits"}) add(key);
        if (config.kv.extraBits > 0) whole += "; damage " + model.layerLossHash;
    }
    if (config.kv.window || config.kv.keepsExact()) add("n_sink");
    if (model.mixers != nullptr)
        whole += format("; states {}",
                        kStateTypeNames[static_cast<std::size_t>(stateCheckpointsOf(config).type)]);
    // The salt may be any text; its length prefix keeps it from being confused with what follows.
    whole += format("; salt {}:{}", salt.size(), salt);
    if (config.kv.method == CompactionMethod::None)
        return {.full = std::move(whole), .compacted = {}, .model = model.fingerprint};
    std::string compacted = whole;
    for (const SettingSpec& spec : settingSpecs())
        if (spec.scope == SettingScope::Conversation)
            compacted += format("; {} {}", spec.key, settingValueText(config, spec.key));
    return {
        .full = std::move(whole), .compacted = std::move(compacted), .model = model.fingerprint};
}

PrefixSharing::PrefixSharing(Dependencies dependencies)
    : dependencies_(dependencies),
      store_(
          {.limitBytes = limitOf(dependencies.settings.shared(), dependencies.keepsAll),
           .maxEntries = dependencies.keepsAll ? std::numeric_limits<std::int64_t>::max() : 1024}) {
    limitDisk();
}

PrefixSharing::Origin PrefixSharing::begin(const Request& request, Sequence& sequence) {
    known_[request.conversation].use = request.use;
    sequence.beforeEviction([this, id = request.conversation](Sequence& whole) {
        if (!whole.shifted()) keepFullCache(id, whole.tokens(), whole.cache());
    });
    const std::int64_t held =
        sequence.reusable(request.prompt, request.most.value_or(Sequence::kAnyTokens));
    noteRows(request.conversation, held > 0);
    if (startFromGroup(request, sequence)) return {};
    if (!request.use.shared || !store_.inUse()) return {};
    codePages();
    const ModelFacts& model = *dependencies_.models.facts();
    const EngineConfig& config = dependencies_.settings.of(request.conversation);
    const PrefixSpaces spaces = prefixSpaces(model, config, request.use.salt);
    // When a turn is repeated after a compaction, a stored cache from before the compaction is
    // preferred.
    const bool rollsBack = held > 0 && held < static_cast<std::int64_t>(sequence.tokens().size());
    const KvChoice choice = cacheChoice(cacheModelOf(model), config.kv);
    const auto most = mostStored(config.kv, model, request);
    PrefixAnswer found =
        store_.find({.spaces = spaces,
                     .tokens = request.prompt,
                     .held = held,
                     .heldCompactions =
                         rollsBack && !request.ownCache ? sequence.cache().stats().compactions : 0,
                     .heldContinues = continuesCompacted(request, sequence, held),
                     .most = most,
                     .secondsPerToken = secondsPerToken_,
                     .choice = &choice,
                     .stop = &request.stop,
                     .inPieces = request.inPieces});
    if (found.pending) return {.match = PrefixMatch::None, .note = {}, .pending = true};
    Origin origin{.match = found.match, .note = std::move(found.note)};
    if (most != request.most && origin.note.empty() &&
        store_.holds({.spaces = spaces, .tokens = request.prompt, .held = held}) > *most)
        origin.note = format("the newest {} tokens are read to see what their queries attend to",
                             static_cast<std::int64_t>(request.prompt.size()) - *most);
    if (found.cache != nullptr) {
        request.exchanges();
        sequence.resumeFrom(std::move(found.cache),
                            request.prompt.first(static_cast<std::size_t>(found.tokens)));
        noteRows(request.conversation, false);
    }
    dependencies_.log.info(
        "session", format("prefix conversation={} prompt={} held={} stored={} match={} {} note={}",
                          request.conversation.value, request.prompt.size(), held, found.tokens,
                          keyOf(origin.match), loadFacts(found.load), origin.note));
    publishStats();
    return origin;
}

std::int64_t PrefixSharing::reusable(const Request& request, const Sequence& sequence) const {
    const std::int64_t most = request.most.value_or(Sequence::kAnyTokens);
    const std::int64_t held = sequence.reusable(request.prompt, most);
    if (!request.use.shared || !store_.inUse()) return held;
    const EngineConfig& config = dependencies_.settings.of(request.conversation);
    const ModelFacts& model = *dependencies_.models.facts();
    const PrefixSpaces spaces = prefixSpaces(model, config, request.use.salt);
    return std::max(held,
                    store_.holds({.spaces = spaces,
                                  .tokens = request.prompt,
                                  .held = held,
                                  .heldContinues = continuesCompacted(request, sequence, held),
                                  .most = mostStored(config.kv, model, request)}));
}

void PrefixSharing::keep(ConversationId id, Sequence& sequence, PrefixRole role) {
    if (!sequence.shifted()) store(id, sequence.tokens(), sequence.cache(), role);
}

void PrefixSharing::keepFullCache(ConversationId id, std::span<const TokenId> tokens,
                                  KvCache& cache) {
    store(id, tokens, cache, PrefixRole::User);
}

void PrefixSharing::store(ConversationId id, std::span<const TokenId> tokens, KvCache& cache,
                          PrefixRole role) {
    if (!useOf(id).shared || !store_.inUse()) return;
    if (!cacheMatchesSettings(id, cache)) return;
    codePages();
    try {
        store_.insert(spacesOf(id), tokens, cache, role);
        publishStats();
    } catch (const std::bad_alloc&) {  // stored prefixes are the first memory to be released
        store_.clear();
    }
}

/// A cache that is being recoded does not have the format of the settings yet.
bool PrefixSharing::cacheMatchesSettings(ConversationId id, const KvCache& cache) const {
    return matchesChoice(cache, cacheChoice(cacheModelOf(*dependencies_.models.facts()),
                                            dependencies_.settings.of(id).kv));
}

void PrefixSharing::keepForGroup(std::int64_t group, ConversationId id, Sequence& sequence) {
    if (group == 0 || groups_.contains(group) || sequence.tokens().empty() || sequence.shifted() ||
        !cacheMatchesSettings(id, sequence.cache()))
        return;
    auto twin = sequence.cache().share();
    if (!twin) return;  // every turn then reads the prompt
    groups_.emplace(group,
                    GroupPrompt{.spaces = spacesOf(id),
                                .tokens = {sequence.tokens().begin(), sequence.tokens().end()},
                                .cache = std::move(*twin)});
}

void PrefixSharing::endGroup(std::int64_t group) {
    if (groups_.erase(group) > 0) publishStats();
}

bool PrefixSharing::startFromGroup(const Request& request, Sequence& sequence) {
    const auto found = request.group == 0 ? groups_.end() : groups_.find(request.group);
    if (found == groups_.end()) return false;
    const GroupPrompt& group = found->second;
    const EngineConfig& config = dependencies_.settings.of(request.conversation);
    const ModelFacts& model = *dependencies_.models.facts();
    const PrefixSpaces spaces = prefixSpaces(model, config, request.use.salt);
    if (spaces.full != group.spaces.full || spaces.compacted != group.spaces.compacted)
        return false;  // the settings were changed after the prompt was read
    const auto common =
        std::ranges::mismatch(group.tokens, request.prompt).in1 - group.tokens.begin();
    const std::int64_t last = static_cast<std::int64_t>(request.prompt.size()) - 1;
    const std::int64_t usable = std::min({static_cast<std::int64_t>(common), last,
                                          mostStored(config.kv, model, request).value_or(last)});
    const std::int64_t surplus = static_cast<std::int64_t>(group.tokens.size()) - usable;
    if (usable <= sequence.reusable(request.prompt, request.most.value_or(Sequence::kAnyTokens)) ||
        surplus > group.cache->capabilities().rollbackLimit)
        return false;
    auto twin = group.cache->share();
    if (!twin || !(*twin)->rollback(static_cast<int>(surplus))) return false;
    request.exchanges();
    sequence.resumeFrom(std::move(*twin), request.prompt.first(static_cast<std::size_t>(usable)));
    noteRows(request.conversation, false);
    return true;
}

std::unique_ptr<KvCache> PrefixSharing::checkpointWithin(ConversationId id,
                                                         const Sequence& sequence,
                                                         std::int64_t most) {
    std::unique_ptr<KvCache> best;
    const auto own = std::ranges::find_if(
        sequence.checkpoints(), [most](const auto& one) { return one->offset().value <= most; });
    if (own != sequence.checkpoints().end())
        if (auto twin = (*own)->share()) best = std::move(*twin);
    if (!useOf(id).shared || !store_.inUse()) return best;
    PrefixSpaces spaces = spacesOf(id);
    spaces.compacted.clear();
    PrefixAnswer found = store_.find({.spaces = spaces,
                                      .tokens = sequence.tokens(),
                                      .held = best != nullptr ? best->offset().value : 0,
                                      .most = most,
                                      .uncounted = true});
    return found.cache != nullptr ? std::move(found.cache) : std::move(best);
}

/// A compacted cache is saved for its size: rows from before the compaction are not added to it. A
/// cache with recurrent layers is saved with the checkpoints of their states.
Checkpoints PrefixSharing::checkpointsOf(ConversationId id, const Sequence& sequence) {
    Checkpoints found;
    if (sequence.cache().stats().compactions > 0 || sequence.cache().states() != nullptr)
        return found;
    std::int64_t most = sequence.shortest() - 1;
    while (found.size() < kMaxCheckpoints && most > 0) {
        auto next = checkpointWithin(id, sequence, most);
        if (next == nullptr) break;
        most = next->offset().value - 1;
        found.push_back(std::move(next));
    }
    return found;
}

void PrefixSharing::noteRows(ConversationId id, bool stay) {
    // From the least to the most exact.
    constexpr std::array kOrder{Precision::Fast, Precision::TwoTerms, Precision::Exact};
    const Precision now = dependencies_.models.model()->precision();
    std::optional<Precision>& rows = known_[id].rows;
    const auto rank = [&](Precision one) { return std::ranges::find(kOrder, one); };
    if (!rows || !stay || rank(now) < rank(*rows)) rows = now;
}

PrefixSpaces PrefixSharing::spacesOf(ConversationId id) const {
    const auto known = known_.find(id);
    return prefixSpaces(*dependencies_.models.facts(), dependencies_.settings.of(id),
                        useOf(id).salt, known == known_.end() ? std::nullopt : known->second.rows);
}

const PrefixUse& PrefixSharing::useOf(ConversationId id) const {
    static const PrefixUse none;
    const auto known = known_.find(id);
    return known == known_.end() ? none : known->second.use;
}

PrefixAnswer PrefixSharing::fullStart(ConversationId id, const Sequence& sequence,
                                      std::int64_t most, const StopRequested& stop) {
    if (!useOf(id).shared)
        return {.cache = nullptr, .note = "private conversations are not stored"};
    if (!store_.inUse()) return {.cache = nullptr, .note = "prefix_cache and prefix_disk are 0"};
    codePages();
    const ModelFacts& model = *dependencies_.models.facts();
    const EngineConfig& config = dependencies_.settings.of(id);
    PrefixSpaces spaces = spacesOf(id);
    spaces.compacted.clear();
    const KvChoice choice = cacheChoice(cacheModelOf(model), config.kv);
    PrefixAnswer found = store_.find({.spaces = spaces,
                                      .tokens = sequence.tokens(),
                                      .most = most,
                                      .secondsPerToken = secondsPerToken_,
                                      .choice = &choice,
                                      .stop = &stop,
                                      .uncounted = true});
    if (found.cache == nullptr && found.note.empty())
        found.note = "no uncompressed prefix of this text is stored";
    publishStats();
    return found;
}

void PrefixSharing::noteReading(int tokens, double seconds) {
    if (tokens <= 0 || seconds <= 0) return;
    constexpr double kNewest = 0.2;  // weight in the mean
    const double one = seconds / tokens;
    secondsPerToken_ =
        secondsPerToken_ > 0 ? secondsPerToken_ + kNewest * (one - secondsPerToken_) : one;
    if (pages_ != nullptr)
        pages_->noteReading(dependencies_.models.facts()->fingerprint, tokens, seconds);
}

void PrefixSharing::settingsChanged() {
    const std::int64_t limit = limitOf(dependencies_.settings.shared(), dependencies_.keepsAll);
    const std::int64_t disk = diskLimitOf(dependencies_.settings.shared());
    const std::int64_t kept = pages_ != nullptr ? pages_->limit() : 0;
    if (limit == store_.options().limitBytes && disk == kept) return;
    if (limit != store_.options().limitBytes) store_.limit(limit);
    limitDisk();
    publishStats();
}

/// A replay has no folder: what it reuses is determined by the recording.
void PrefixSharing::limitDisk() {
    const std::int64_t bytes = diskLimitOf(dependencies_.settings.shared());
    if (dependencies_.folder.empty()) return;
    if (pages_ == nullptr && bytes > 0) {
        PageStoreOptions options;
        options.folder = dependencies_.folder;
        options.limitBytes = bytes;
        pages_ = std::make_unique<PrefixPages>(std::move(options));
    } else if (pages_ != nullptr && bytes != pages_->limit()) {
        pages_->limit(bytes);
    }
    store_.setTier(bytes > 0 ? pages_.get() : nullptr);
}

/// Looks for a transform once per model; one calibrated later takes effect when the model is loaded
/// again.
void PrefixSharing::codePages() {
    if (pages_ == nullptr) return;
    RunningModel& model = *dependencies_.models.model();
    const LoadedModel& loaded = model.loaded();
    if (transformOf_ != model.facts().fingerprint) {
        transformOf_ = model.facts().fingerprint;
        transform_.reset();
        auto found = loadTransform(loaded.path, loaded.spec, dependencies_.calibrations);
        if (found)
            transform_ = std::move(*found);
        else
            dependencies_.log.warn("session",
                                   format("transform error={}", describe(found.error())));
    }
    pages_->codeWith({.pool = &model.pool(), .transform = transform_});
}

PrefixDiskStats PrefixSharing::diskStats() const {
    if (pages_ != nullptr) return pages_->stats();
    PrefixDiskStats none;
    if (!dependencies_.folder.empty()) none.fidelity = pageFidelityOf(dependencies_.folder);
    none.limitBytes = diskLimitOf(dependencies_.settings.shared());
    if (none.limitBytes > 0) none.problem = "no folder is set for the disk cache";
    return none;
}

void PrefixSharing::releaseModel() {
    transform_.reset();
    transformOf_.clear();
    if (pages_ != nullptr) pages_->codeWith({});
}

void PrefixSharing::modelChanged() {
    // A replay reuses what the recording states, even after a model was loaded again.
    if (dependencies_.keepsAll || store_.empty()) return;
    const ModelFacts* const model = dependencies_.models.facts();
    if (model == nullptr)
        store_.clear();
    else
        store_.dropOtherModels(model->fingerprint);
    publishStats();
}

void PrefixSharing::clear(bool memory, bool disk) {
    if (memory) store_.clear();
    if (disk && pages_ != nullptr) pages_->clear();
    publishStats();
}

void PrefixSharing::setPageFidelity(PageFidelity fidelity) {
    const auto keep = [&]() -> Status {
        if (dependencies_.folder.empty())
            return fail(ErrorCode::NotFound, "no folder is set for the disk cache");
        return pages_ != nullptr ? pages_->setFidelity(fidelity)
                                 : storePageFidelity(dependencies_.folder, fidelity);
    };
    if (const Status kept = keep(); !kept)
        dependencies_.io.post(Notice{
            format("The precision of rows on disk is unchanged: {}.", describe(kept.error()))});
    publishStats();
}

void PrefixSharing::settle() {
    if (pages_ == nullptr || !pages_->takeChange()) return;
    const std::string problem = pages_->stats().problem;
    if (!problem.empty() && problem != reportedProblem_)
        dependencies_.io.post(
            Notice{format("The disk cache is not used at the moment: {}.", problem)});
    reportedProblem_ = problem;
    publishStats();
}

std::int64_t PrefixSharing::bytesAlone() const {
    const auto held = [this](const KvCache::BlockVisitor& visit) {
        dependencies_.conversations.forEach([&](Sequence& one) { one.cache().visitBlocks(visit); });
    };
    std::int64_t bytes = 0;
    if (!groups_.empty()) {
        std::unordered_set<const void*> seen;
        held([&seen](const void* block, std::int64_t) { seen.insert(block); });
        for (const auto& [number, group] : groups_)
            group.cache->visitBlocks([&](const void* block, std::int64_t size) {
                if (seen.insert(block).second) bytes += size;
            });
    }
    if (store_.empty()) return bytes;
    return bytes + store_.bytesBeyond([&](const KvCache::BlockVisitor& visit) {
        held(visit);
        for (const auto& [number, group] : groups_) group.cache->visitBlocks(visit);
    });
}

bool PrefixSharing::releaseOne() {
    bool given = store_.releaseOne();
    if (!given && !groups_.empty()) {
        groups_.erase(groups_.begin());
        given = true;
    }
    if (given) publishStats();
    return given;
}

void PrefixSharing::publishStats() {
    PrefixStats stats = store_.stats();
    stats.bytesAlone = bytesAlone();
    dependencies_.io.post(PrefixCacheChanged{stats, diskStats()});
}

}  // namespace lacuna

#pragma once
/// \file
/// Manual cache operations (/slots/{id}?action=): saves the cache of a slot to a file in one
/// folder, restores it, or releases it. File names cannot leave the folder (PF-7). Owned by the
/// server's thread.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/serve/http_connection.h"
#include "app/serve/request_scheduler.h"
#include "engine/base/json.h"

namespace lacuna::app {

class SlotFiles {
  public:
    using Exchange = std::shared_ptr<HttpExchange>;
    /// If `folder` is empty, saving and restoring are disabled.
    SlotFiles(std::filesystem::path folder, RequestScheduler& scheduler)
        : m_folder(std::move(folder)), m_scheduler(scheduler) {}

    struct Asked {
        std::string slot;    ///< as in the request path
        std::string action;  ///< "save", "restore" or "erase"; anything else is refused
        std::string body;
    };
    /// Replies immediately, or after the engine has saved or restored the cache.
    void act(const Asked& asked, const Exchange& exchange);
    void moved(const PromptCacheMoved& moved);

  private:
    struct Move {
        Exchange exchange;
        std::string name;
        std::chrono::steady_clock::time_point began;
    };
    enum class Direction { Save, Restore };
    void start(int slot, Direction direction, const OrderedJson& body, const Exchange& exchange);
    [[nodiscard]] std::string withoutFolder(std::string sentence) const;

    const std::filesystem::path m_folder;
    RequestScheduler& m_scheduler;
    std::map<int, Move> m_moves;  // by slot index
};

}  // namespace lacuna::app

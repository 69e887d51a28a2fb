#pragma once
/// \file
/// Caches by hand: what a slot holds is saved to a file of one folder, restored from it, or given
/// back (/slots/{id}?action=). A name never leaves the folder (PF-7). Owned by the server's thread.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/serve/answer_desk.h"
#include "app/serve/http_connection.h"
#include "engine/base/json.h"

namespace lacuna::app {

class SlotFiles {
  public:
    using Exchange = std::shared_ptr<HttpExchange>;
    /// Where `folder` is empty, nothing is saved and nothing restored.
    SlotFiles(std::filesystem::path folder, AnswerDesk& desk)
        : m_folder(std::move(folder)), m_desk(desk) {}

    struct Asked {
        std::string slot;    ///< as the path has it
        std::string action;  ///< "save", "restore" or "erase"; anything else is refused
        std::string body;
    };
    /// Answers now, or when the engine has moved the cache.
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
    AnswerDesk& m_desk;
    std::map<int, Move> m_moves;  // by slot
};

}  // namespace lacuna::app

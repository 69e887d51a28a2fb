#include "app/serve/call_forms.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lacuna::app {
namespace {

/// Marks that begin and end a block of calls.
struct Marks {
    std::string_view begin;
    std::string_view end;
    bool closed = true;    ///< `end` is required unless the answer ends first
    bool element = false;  ///< `begin` is part of the call itself
};

constexpr auto kMarks = std::to_array<Marks>({
    {"<tool_call>", "</tool_call>"},                     // Hermes, Qwen, GLM-4.5, Granite 4
    {"<tool_calls>", "</tool_calls>"},                   // MiniMax-M1, Jamba
    {"<tools>", "</tools>"},                             // Qwen2.5-Coder
    {"<TOOLCALL>", "</TOOLCALL>"},                       // Nemotron
    {"<minimax:tool_call>", "</minimax:tool_call>"},     // MiniMax-M2
    {"<seed:tool_call>", "</seed:tool_call>"},           // Seed-OSS
    {"<function_calls>", "</function_calls>"},           // Claude
    {"<|tool_call|>", "<|/tool_call|>", false},          // Granite 3, Phi-4-mini
    {"<|tool_call>", "<tool_call|>"},                    // Gemma 4
    {"<|START_ACTION|>", "<|END_ACTION|>"},              // Command R7B
    {"<|python_tag|>", "<|eom_id|>", false},             // Llama 3
    {"<|python_start|>", "<|python_end|>", false},       // Llama 4
    {"<|tool_call_start|>", "<|tool_call_end|>"},        // LFM2
    {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},  // DeepSeek V3, R1
    {"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"},
    {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"},  // Kimi K2
    {"[TOOL_CALLS]", "[/TOOL_CALLS]", false},                        // Mistral
    {"functools", "", false},                                        // Phi-4-mini
    {">>>", "", false},                                              // Functionary 3.2
    {"<function=", "</tool_call>", false, true},                     // Qwen3-Coder, Functionary 3.1
    {"<invoke name=", "", false, true},
});

/// Words that may precede the function name, separate it from its arguments, or follow them.
constexpr auto kBeforeName = std::to_array<std::string_view>(
    {"<｜tool▁call▁begin｜>", "function<｜tool▁sep｜>", "<|tool_call_begin|>", "functions."});
constexpr auto kBetween = std::to_array<std::string_view>(
    {"<｜tool▁sep｜>", "<|tool_call_argument_begin|>", "[ARGS]", "```json", "```"});
constexpr auto kAfterArguments =
    std::to_array<std::string_view>({"```", "<｜tool▁call▁end｜>", "<|tool_call_end|>"});
/// Mark before and after a text in the arguments of Gemma 4.
constexpr std::string_view kTextMark = "<|\"|>";
/// End marks of blocks whose beginning the model has left out.
constexpr auto kStrayEnds = std::to_array<std::string_view>({"</tool_call>", "</tools>"});
/// Names of code fences that calls are written in.
constexpr auto kFences = std::to_array<std::string_view>(
    {"", "json", "tool_call", "tool_calls", "tool", "tool_code", "xml"});
constexpr std::string_view kFence = "```";
constexpr std::string_view kBlank = " \n\r\t";
constexpr auto kArgumentMembers =
    std::to_array<std::string_view>({"arguments", "parameters", "params"});
/// Members of a call that are neither its name nor arguments.
constexpr auto kOtherMembers =
    std::to_array<std::string_view>({"type", "function", "id", "index", "tool_calls", "tool_name"});

bool isBlank(char c) {
    return kBlank.find(c) != std::string_view::npos;
}

template <class List>
bool holds(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != std::end(list);
}

bool isNameChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

// --- functions and their arguments ---

const OrderedJson* memberOf(const OrderedJson& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(std::string(name));
    return found == object.end() ? nullptr : &*found;
}

const OrderedJson* propertyOf(const ToolFunction& function, std::string_view name) {
    const OrderedJson* properties = memberOf(function.parameters, "properties");
    return properties == nullptr ? nullptr : memberOf(*properties, name);
}

bool takesNothing(const ToolFunction& function) {
    const OrderedJson* properties = memberOf(function.parameters, "properties");
    return properties == nullptr || properties->empty();
}

bool needsNothing(const ToolFunction& function) {
    const OrderedJson* required = memberOf(function.parameters, "required");
    return required == nullptr || required->empty();
}

/// Returns the JSON text of arguments given as an object or as a string that contains one.
std::optional<std::string> argumentsOf(const OrderedJson& value, const ToolFunction& function) {
    if (value.is_object()) {
        if (value == function.parameters) return std::nullopt;  // the model repeated the definition
        return dumpJson(value);
    }
    const bool nothing = value.is_null() || value == OrderedJson("");
    if (nothing && takesNothing(function)) return "{}";
    if (!value.is_string()) return std::nullopt;
    const auto parsed = parseOrderedJson(value.get_ref<const std::string&>());
    if (!parsed || !parsed->is_object()) return std::nullopt;
    return dumpJson(*parsed);
}

/// Converts a parameter written as plain text to the type of its property.
OrderedJson parameterOf(std::string_view text, const OrderedJson* property) {
    OrderedJson plain = std::string(text);
    if (property == nullptr || !property->is_object()) {
        auto parsed = parseOrderedJson(text);
        return parsed && !parsed->is_string() ? std::move(*parsed) : plain;
    }
    std::vector<std::string> types;
    if (const OrderedJson* type = memberOf(*property, "type")) {
        for (const OrderedJson& one : type->is_array() ? *type : OrderedJson::array({*type}))
            if (one.is_string()) types.push_back(one.get<std::string>());
    } else if (const OrderedJson* listed = memberOf(*property, "enum"); listed) {
        const bool texts =
            std::ranges::all_of(*listed, [](const OrderedJson& one) { return one.is_string(); });
        if (texts) types.emplace_back("string");
    } else if (const OrderedJson* only = memberOf(*property, "const"); only && only->is_string()) {
        types.emplace_back("string");
    }
    if (types.size() == 1 && types.front() == "string") return plain;
    if (holds(types, "boolean") && (text == "True" || text == "False")) return text == "True";
    if (text == "None" && !holds(types, "string")) return nullptr;
    auto parsed = parseOrderedJson(text);
    if (!parsed || parsed->is_string()) return plain;
    const OrderedJson& value = *parsed;
    const std::string_view type = value.is_null()           ? "null"
                                  : value.is_boolean()      ? "boolean"
                                  : value.is_array()        ? "array"
                                  : value.is_object()       ? "object"
                                  : value.is_number_float() ? "number"
                                                            : "integer";
    const bool fits = types.empty() || holds(types, type) ||
                      (type == "integer" && holds(types, "number")) || !holds(types, "string");
    return fits ? std::move(*parsed) : plain;
}

// --- parser for text whose end may be missing ---

enum class Step { No, Yes, Wait };

class Walk {
  public:
    Walk(std::string_view text, bool last, const std::vector<ToolFunction>& functions)
        : m_text(text), m_last(last), m_functions(functions) {}

    [[nodiscard]] std::size_t at() const { return m_at; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] std::string_view rest() const { return m_text.substr(m_at); }
    [[nodiscard]] Step missing() const { return m_last ? Step::No : Step::Wait; }
    void skipBlank() {
        while (!atEnd() && isBlank(m_text[m_at])) ++m_at;
    }

    Step literal(std::string_view word) {
        if (rest().starts_with(word)) {
            m_at += word.size();
            return Step::Yes;
        }
        return !m_last && word.starts_with(rest()) ? Step::Wait : Step::No;
    }
    /// Skips any number of these words and white space. Returns Yes or Wait.
    template <class Words>
    Step skip(const Words& words) {
        bool taken = true;
        while (taken) {
            skipBlank();
            taken = false;
            for (const std::string_view word : words) {
                const Step step = atEnd() ? Step::No : literal(word);
                if (step == Step::Wait) return step;
                taken = step == Step::Yes;
                if (taken) break;
            }
        }
        return Step::Yes;
    }
    /// Reads the text up to `word` and skips the word.
    Step until(std::string_view word, std::string_view& text) {
        const std::size_t end = rest().find(word);
        if (end == std::string_view::npos) return missing();
        text = rest().substr(0, end);
        m_at += end + word.size();
        return Step::Yes;
    }

    /// Reads an object or list up to its closing bracket; brackets and marks inside strings are
    /// skipped.
    Step value(std::string_view& json) {
        int depth = 0;
        bool inString = false;
        for (std::size_t i = m_at; i < m_text.size(); ++i) {
            const char c = m_text[i];
            if (inString) {
                if (static_cast<unsigned char>(c) < 0x20) return Step::No;
                if (c == '\\') ++i;
                if (c == '"') inString = false;
            } else if (c == '"') {
                inString = true;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if ((c == '}' || c == ']') && --depth == 0) {
                json = m_text.substr(m_at, i + 1 - m_at);
                m_at = i + 1;
                return Step::Yes;
            }
        }
        return missing();
    }

    /// Reads one call in JSON or a list of them. `likely`: reject JSON that does not start like a
    /// call, so that other JSON is not held back.
    Step json(std::vector<ToolCall>& calls, bool likely) {
        if (likely)
            if (const Step step = beginsAsCall(); step != Step::Yes) return step;
        std::string_view text;
        if (const Step step = value(text); step != Step::Yes) return step;
        const auto parsed = parseOrderedJson(text);
        return parsed && addCalls(*parsed, calls) ? Step::Yes : Step::No;
    }

    /// Reads calls that begin a line without a mark.
    Step bare(std::vector<ToolCall>& calls) {
        if (const auto step = listOfCalls(calls)) return *step;
        return json(calls, true);
    }

    /// Reads one call in any format, or a list of them.
    Step item(std::vector<ToolCall>& calls) {
        if (const auto step = listOfCalls(calls)) return *step;
        if (rest().starts_with('{') || rest().starts_with('[')) return json(calls, false);
        for (const auto& [mark, read] :
             {std::pair{std::string_view("<function="), &Walk::element},
              std::pair{std::string_view("<invoke name="), &Walk::invocation},
              std::pair{std::string_view("call:"), &Walk::bareKeys}}) {
            const Step step = literal(mark);
            if (step == Step::Wait) return step;
            if (step == Step::Yes) return (this->*read)(calls);
        }
        return named(calls);
    }

    /// Reads a name followed by arguments: NAME {...}, or NAME <arg_key>k</arg_key><arg_value>v...
    Step named(std::vector<ToolCall>& calls) {
        if (const Step step = skip(kBeforeName); step != Step::Yes) return step;
        const ToolFunction* function = nullptr;
        if (const Step step = functionName(function); step != Step::Yes) return step;
        if (rest().starts_with(':'))  // index of the call
            do ++m_at;
            while (!atEnd() && rest()[0] >= '0' && rest()[0] <= '9');
        if (const Step step = literal("[CALL_ID]"); step == Step::Wait && !atEnd())
            return step;
        else if (step == Step::Yes)
            while (!atEnd() && isNameChar(rest()[0])) ++m_at;
        if (const Step step = skip(kBetween); step != Step::Yes) return step;
        if (atEnd() && !m_last) return Step::Wait;
        if (rest().starts_with('{')) {
            std::string_view text;
            if (const Step step = value(text); step != Step::Yes) return step;
            const auto parsed = parseOrderedJson(text);
            if (!parsed || !parsed->is_object()) return Step::No;
            calls.push_back({function->name, dumpJson(*parsed)});
            return skip(kAfterArguments);
        }
        OrderedJson arguments = OrderedJson::object();
        while (true) {
            skipBlank();
            const Step step = literal("<arg_key>");
            if (step == Step::Wait) return step;
            if (step == Step::No) break;
            std::string_view key, text;
            if (const Step end = until("</arg_key>", key); end != Step::Yes) return end;
            skipBlank();
            if (const Step begin = literal("<arg_value>"); begin != Step::Yes) return begin;
            if (const Step end = until("</arg_value>", text); end != Step::Yes) return end;
            arguments[std::string(key)] = parameterOf(text, propertyOf(*function, key));
        }
        // A bare name may be any word; it is a call only if an end mark follows.
        if (arguments.empty() && (!needsNothing(*function) || !rest().starts_with("</")))
            return Step::No;
        calls.push_back({function->name, dumpJson(arguments)});
        return Step::Yes;
    }

    /// Checks whether a list begins with the name of a function.
    [[nodiscard]] Step beginsWithName() const {
        if (!rest().starts_with('[')) return Step::No;
        Walk inside = *this;
        ++inside.m_at;
        inside.skipBlank();
        const ToolFunction* function = nullptr;
        return inside.functionName(function);
    }
    /// Reads a list that begins with the name of a function. Returns null for anything else.
    std::optional<Step> listOfCalls(std::vector<ToolCall>& calls) {
        const Step named = beginsWithName();
        if (named == Step::No) return std::nullopt;
        return named == Step::Yes ? pythonic(calls) : named;
    }
    /// Reads a list of calls in the syntax of Python: [name(key="text", other=1)]. @pre the list
    /// begins with a name
    Step pythonic(std::vector<ToolCall>& calls) {
        do {
            ++m_at;  // the bracket or comma
            skipBlank();
            const ToolFunction* function = nullptr;
            if (const Step step = functionName(function); step != Step::Yes) return step;
            OrderedJson arguments = OrderedJson::object();
            if (const Step step = pythonArguments(arguments); step != Step::Yes) return step;
            calls.push_back({function->name, dumpJson(arguments)});
            skipBlank();
        } while (rest().starts_with(','));
        return literal("]");
    }

    /// Reads calls separated by white space or commas. Returns Yes for at least one.
    Step items(std::vector<ToolCall>& calls, const Marks& around) {
        while (true) {
            while (!atEnd() && (isBlank(rest()[0]) || rest()[0] == ',' || rest()[0] == ';')) ++m_at;
            if (atEnd() && !m_last) return Step::Wait;
            for (const std::string_view mark : {around.begin, around.end}) {
                if (mark.empty() || atEnd()) continue;
                if (rest().starts_with(mark)) return calls.empty() ? Step::No : Step::Yes;
                if (!m_last && mark.starts_with(rest())) return Step::Wait;
            }
            const std::size_t before = m_at;
            const std::size_t count = calls.size();
            const Step step = atEnd() ? Step::No : item(calls);
            if (step == Step::Wait) return step;
            if (step == Step::Yes) continue;
            const bool other = !atEnd() && (m_text[before] == '{' || m_text[before] == '[');
            calls.resize(count);
            m_at = before;
            return calls.empty() || other ? Step::No : Step::Yes;
        }
    }

    /// Reads a block between marks. @pre the position is at its beginning
    Step block(const Marks& marks, std::vector<ToolCall>& calls) {
        if (!marks.element) m_at += marks.begin.size();
        if (const Step step = marks.element ? item(calls) : items(calls, marks); step != Step::Yes)
            return step;
        const std::size_t after = m_at;
        skipBlank();
        if (marks.end.empty()) return back(after);
        const Step step = literal(marks.end);
        if (step == Step::Wait || step == Step::Yes) return step;
        if (atEnd() && m_last) return back(after);
        return marks.closed ? Step::No : back(after);
    }

    /// Reads a code fence with calls. @pre the position is at its beginning
    Step fence(std::vector<ToolCall>& calls) {
        m_at += kFence.size();
        const std::size_t end = rest().find_first_of("\n{[<");
        std::string_view name = rest().substr(0, end);
        while (!name.empty() && isBlank(name.back())) name.remove_suffix(1);
        if (end == std::string_view::npos) {
            const bool may = std::ranges::any_of(
                kFences, [&](std::string_view one) { return one.starts_with(name); });
            return may ? missing() : Step::No;
        }
        m_at += end;
        if (!holds(kFences, name)) return Step::No;
        skipBlank();
        if (atEnd()) return missing();
        if (rest()[0] == '{' || rest()[0] == '[') {
            if (const Step step = beginsAsCall(); step != Step::Yes) return step;
        } else if (rest()[0] != '<') {
            return Step::No;
        }
        if (const Step step = fenced(calls); step != Step::Yes) return step;
        skipBlank();
        if (atEnd() && m_last) return Step::Yes;  // the fence was never closed
        return literal(kFence);
    }

  private:
    Step back(std::size_t at) {
        m_at = at;
        return Step::Yes;
    }

    /// Reads (key=value, ...).
    Step pythonArguments(OrderedJson& arguments) {
        if (const Step step = literal("("); step != Step::Yes) return step;
        while (true) {
            skipBlank();
            if (atEnd()) return missing();
            if (rest()[0] == ')') break;
            std::size_t length = 0;
            while (length < rest().size() && isNameChar(rest()[length])) ++length;
            const std::string key(rest().substr(0, length));
            m_at += length;
            skipBlank();
            if (const Step step = literal("="); step != Step::Yes || key.empty())
                return key.empty() ? Step::No : step;
            std::string json;
            if (const Step step = pythonValue(json); step != Step::Yes) return step;
            auto parsed = parseOrderedJson(json);
            if (!parsed) return Step::No;
            arguments[key] = std::move(*parsed);
            if (rest()[0] == ',') ++m_at;
        }
        ++m_at;
        return Step::Yes;
    }
    /// Converts a value of Python to JSON, up to the comma or bracket after it.
    Step pythonValue(std::string& json) {
        constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
            {{"True", "true"}, {"False", "false"}, {"None", "null"}});
        int depth = 0;
        while (!atEnd()) {
            const char c = rest()[0];
            if (depth == 0 && (c == ',' || c == ')')) return Step::Yes;
            if (c == '"' || c == '\'') {
                if (const Step step = pythonText(json); step != Step::Yes) return step;
                continue;
            }
            std::size_t length = 0;
            while (length < rest().size() && (isNameChar(rest()[length]) || rest()[length] == '+'))
                ++length;
            if (length == rest().size() && !m_last) return Step::Wait;
            if (length > 0) {
                const std::string_view word = rest().substr(0, length);
                const auto known = std::ranges::find(
                    kWords, word, &std::pair<std::string_view, std::string_view>::first);
                json += known == kWords.end() ? word : known->second;
                m_at += length;
                continue;
            }
            if (c == '[' || c == '{') ++depth;
            if ((c == ']' || c == '}') && --depth < 0) return Step::No;
            if (!isBlank(c)) json += c;
            ++m_at;
        }
        return missing();
    }
    /// Converts a string of Python. @pre the position is at its quotation mark
    Step pythonText(std::string& json) {
        const char mark = rest()[0];
        std::string text;
        for (std::size_t i = m_at + 1; i < m_text.size(); ++i) {
            char c = m_text[i];
            if (c == mark) {
                json += dumpJson(OrderedJson(text));
                m_at = i + 1;
                return Step::Yes;
            }
            if (c == '\\' && ++i < m_text.size()) {
                c = m_text[i];
                if (c == 'n') c = '\n';
                if (c == 't') c = '\t';
            }
            text += c;
        }
        return missing();
    }

    Step fenced(std::vector<ToolCall>& calls) {
        bool waits = false;
        for (const Marks& marks : kMarks) {
            if (marks.element) continue;
            if (rest().starts_with(marks.begin)) return block(marks, calls);
            waits = waits || (!m_last && marks.begin.starts_with(rest()));
        }
        return waits ? Step::Wait : items(calls, {"", kFence});
    }

    /// Checks whether the first key of an object, or of the first object in a list, fits a call.
    [[nodiscard]] Step beginsAsCall() const {
        std::size_t i = m_at;
        const auto skipTo = [&](char wanted) {
            ++i;
            while (i < m_text.size() && isBlank(m_text[i])) ++i;
            if (i >= m_text.size()) return missing();
            return m_text[i] == wanted ? Step::Yes : Step::No;
        };
        if (m_text[i] == '[')
            if (const Step step = skipTo('{'); step != Step::Yes) return step;
        if (const Step step = skipTo('"'); step != Step::Yes) return step;
        const std::size_t end = m_text.find('"', i + 1);
        if (end == std::string_view::npos) return missing();
        const std::string_view key = m_text.substr(i + 1, end - i - 1);
        const bool known = key == "name" || holds(kArgumentMembers, key) ||
                           holds(kOtherMembers, key) ||
                           std::ranges::any_of(m_functions, [&](const ToolFunction& function) {
                               return propertyOf(function, key) != nullptr;
                           });
        return known ? Step::Yes : Step::No;
    }

    [[nodiscard]] const ToolFunction* functionNamed(std::string_view name) const {
        const auto found = std::ranges::find(m_functions, name, &ToolFunction::name);
        return found == m_functions.end() ? nullptr : &*found;
    }

    Step functionName(const ToolFunction*& function) {
        std::size_t length = 0;
        while (length < rest().size() && isNameChar(rest()[length])) ++length;
        const std::string_view name = rest().substr(0, length);
        if (length == rest().size() && !m_last) {
            const bool may = std::ranges::any_of(
                m_functions, [&](const ToolFunction& one) { return one.name.starts_with(name); });
            return may ? Step::Wait : Step::No;
        }
        function = functionNamed(name);
        if (function == nullptr) return Step::No;
        m_at += length;
        return Step::Yes;
    }

    [[nodiscard]] bool addCalls(const OrderedJson& json, std::vector<ToolCall>& calls) const {
        if (json.is_array())
            return !json.empty() && std::ranges::all_of(json, [&](const OrderedJson& one) {
                return one.is_object() && addCalls(one, calls);
            });
        if (const OrderedJson* list = memberOf(json, "tool_calls"); list && list->is_array())
            return addCalls(*list, calls);
        auto call = callOf(json);
        if (!call) return false;
        calls.push_back(std::move(*call));
        return true;
    }

    [[nodiscard]] std::optional<ToolCall> callOf(const OrderedJson& json) const {
        const OrderedJson* inner = memberOf(json, "function");
        if (inner != nullptr && inner->is_object()) return callOf(*inner);
        const OrderedJson* name = memberOf(json, "name");
        if (name == nullptr) name = memberOf(json, "tool_name");
        if (name == nullptr) name = inner;
        if (name == nullptr || !name->is_string()) return std::nullopt;
        const ToolFunction* function = functionNamed(name->get_ref<const std::string&>());
        if (function == nullptr) return std::nullopt;
        const OrderedJson* arguments = memberOf(json, "arguments");
        const bool described =
            json.contains("description") && !propertyOf(*function, "description");
        if (arguments == nullptr && described)
            return std::nullopt;  // this is the function's definition
        OrderedJson members = OrderedJson::object();
        bool declared = true;
        for (const auto& [key, value] : json.items()) {
            const bool property = propertyOf(*function, key) != nullptr;
            if (&value == name || &value == arguments) continue;
            if (!property && holds(kOtherMembers, key)) continue;
            declared = declared && property;
            members[key] = value;
        }
        std::optional<std::string> text;
        if (arguments == nullptr && declared && !members.empty())
            text = dumpJson(members);
        else if (arguments == nullptr && members.empty() && needsNothing(*function))
            text = "{}";
        for (const std::string_view key : kArgumentMembers)
            if (const OrderedJson* given = memberOf(json, key); given != nullptr && !text) {
                text = argumentsOf(*given, *function);
                break;
            }
        if (!text) return std::nullopt;
        return ToolCall{function->name, std::move(*text)};
    }

    /// Reads <function=NAME> with parameters as elements or JSON. @pre the mark was skipped
    Step element(std::vector<ToolCall>& calls) {
        return elements(calls, "<parameter=", "</function>", false);
    }
    /// Reads <invoke name="NAME">. @pre the mark was skipped
    Step invocation(std::vector<ToolCall>& calls) {
        return elements(calls, "<parameter name=", "</invoke>", true);
    }
    /// Reads NAME{key:value,...} with bare keys and texts between <|"|>. @pre the mark was skipped
    Step bareKeys(std::vector<ToolCall>& calls) {
        const ToolFunction* function = nullptr;
        if (const Step step = functionName(function); step != Step::Yes) return step;
        std::string json;
        if (const Step step = quotedKeys(json); step != Step::Yes) return step;
        const auto parsed = parseOrderedJson(json);
        if (!parsed || !parsed->is_object()) return Step::No;
        calls.push_back({function->name, dumpJson(*parsed)});
        return Step::Yes;
    }
    /// Rewrites an object with bare keys as JSON, up to its closing bracket.
    Step quotedKeys(std::string& json) {
        std::string open;  // brackets that are not closed
        for (std::size_t i = m_at; i < m_text.size();) {
            const std::string_view left = m_text.substr(i);
            const char c = left[0];
            const bool key =
                !open.empty() && open.back() == '{' && (json.ends_with('{') || json.ends_with(','));
            if (open.empty() && c != '{') return Step::No;
            if (left.starts_with(kTextMark)) {
                const std::size_t end = left.find(kTextMark, kTextMark.size());
                if (end == std::string_view::npos) return missing();
                json += dumpJson(OrderedJson(
                    std::string(left.substr(kTextMark.size(), end - kTextMark.size()))));
                i += end + kTextMark.size();
            } else if (!m_last && kTextMark.starts_with(left)) {
                return Step::Wait;
            } else if (isBlank(c)) {
                ++i;
            } else if (key && c != '}') {
                const std::size_t end = left.find(':');
                if (end == std::string_view::npos) return missing();
                json += dumpJson(OrderedJson(std::string(left.substr(0, end))));
                i += end;
            } else {
                json += c;
                ++i;
                if (c == '{' || c == '[') open += c;
                if (c == '}' || c == ']') open.pop_back();
                if (!open.empty()) continue;
                m_at = i;
                return Step::Yes;
            }
        }
        return missing();
    }
    Step elements(std::vector<ToolCall>& calls, std::string_view parameter, std::string_view end,
                  bool quoted) {
        std::string_view name;
        if (const Step step = elementName(name, quoted); step != Step::Yes) return step;
        const ToolFunction* function = functionNamed(name);
        if (function == nullptr) return Step::No;
        OrderedJson arguments = OrderedJson::object();
        while (true) {
            skipBlank();
            if (atEnd()) return missing();
            if (rest().starts_with('{') && arguments.empty()) {
                std::string_view text;
                if (const Step step = value(text); step != Step::Yes) return step;
                auto parsed = parseOrderedJson(text);
                if (!parsed || !parsed->is_object()) return Step::No;
                arguments = std::move(*parsed);
                skipBlank();
                if (const Step step = literal(end); step != Step::Yes) return step;
                break;
            }
            if (const Step step = literal(end); step == Step::Yes)
                break;
            else if (step == Step::Wait)
                return step;
            if (const Step step = literal(parameter); step != Step::Yes) return step;
            std::string_view key, text;
            if (const Step step = elementName(key, quoted); step != Step::Yes) return step;
            if (const Step step = until("</parameter>", text); step != Step::Yes) return step;
            if (text.starts_with('\n')) text.remove_prefix(1);
            if (text.ends_with('\n')) text.remove_suffix(1);
            arguments[std::string(key)] = parameterOf(text, propertyOf(*function, key));
        }
        if (arguments.empty() && !needsNothing(*function)) return Step::No;
        calls.push_back({function->name, dumpJson(arguments)});
        return Step::Yes;
    }
    Step elementName(std::string_view& name, bool quoted) {
        if (const Step step = until(">", name); step != Step::Yes) return step;
        if (!quoted) return Step::Yes;
        if (name.size() < 2 || name.front() != '"' || name.back() != '"') return Step::No;
        name = name.substr(1, name.size() - 2);
        return Step::Yes;
    }

    std::string_view m_text;
    bool m_last;
    const std::vector<ToolFunction>& m_functions;
    std::size_t m_at = 0;
};

bool beginsMark(std::string_view text) {
    return std::ranges::any_of(kMarks, [&](const Marks& marks) {
        return text.starts_with(marks.begin) || marks.begin.starts_with(text);
    });
}

}  // namespace

std::size_t CallForms::candidate(std::string_view text, CallContext& context) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isBlank(c)) {
            context.lineStart = context.lineStart || c == '\n';
            continue;
        }
        const std::string_view rest = text.substr(i);
        const bool fence = rest.starts_with(kFence) || kFence.starts_with(rest);
        if (context.lineStart && (c == '{' || c == '[' || fence)) return i;
        const auto isFunction = [&](const ToolFunction& function) {
            return rest.starts_with(function.name) || function.name.starts_with(rest);
        };
        if (context.answerStart && std::ranges::any_of(m_functions, isFunction)) return i;
        if ((c == '<' || c == '[' || c == '>' || c == 'f') && beginsMark(rest)) return i;
        context = {.lineStart = false, .answerStart = false};
    }
    return text.size();
}

CallReading CallForms::read(std::string_view text, CallContext context, bool last) const {
    using Kind = CallReading::Kind;
    CallReading reading;
    const auto asText = [&](std::size_t end) {
        return CallReading{.kind = Kind::Text, .end = std::max<std::size_t>(end, 1)};
    };
    for (const Marks& marks : kMarks) {
        if (!last && text.size() < marks.begin.size() && marks.begin.starts_with(text))
            return {.kind = Kind::Undecided};
        if (!text.starts_with(marks.begin)) continue;
        Walk walk(text, last, m_functions);
        const Step step = walk.block(marks, reading.calls);
        if (step == Step::Wait) return {.kind = Kind::Undecided};
        if (step == Step::No) return asText(marks.begin.size());
        reading.kind = Kind::Calls;
        reading.end = walk.at();
        return reading;
    }
    // Calls without marks extend to the end of an answer; a call followed by other text is an
    // example.
    Walk walk(text, last, m_functions);
    bool found = false;
    while (true) {
        if (found)
            if (walk.skip(kStrayEnds) == Step::Wait) return {.kind = Kind::Undecided};
        if (walk.atEnd()) break;
        const std::size_t before = walk.at();
        const char c = walk.rest()[0];
        Step step = Step::No;
        if (c == ',' && found) {
            static_cast<void>(walk.literal(","));
            continue;
        }
        if (walk.rest().starts_with(kFence))
            step = walk.fence(reading.calls);
        else if (!last && kFence.starts_with(walk.rest()))
            step = Step::Wait;
        else if (c == '{' || c == '[')
            step = context.lineStart ? walk.bare(reading.calls) : Step::No;
        else if (context.answerStart)
            step = walk.named(reading.calls);
        if (step == Step::Wait) return {.kind = Kind::Undecided};
        if (step == Step::No) return asText(std::max(before, walk.at()));
        found = true;
    }
    if (!found) return asText(1);
    if (!last) return {.kind = Kind::Undecided};
    reading.kind = Kind::Calls;
    reading.end = walk.at();
    return reading;
}

}  // namespace lacuna::app

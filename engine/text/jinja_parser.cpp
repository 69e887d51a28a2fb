#include "engine/text/jinja_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "engine/base/string_format.h"
#include "engine/text/jinja_names.h"

// Recursive descent, one function for each level of precedence, lowest first. Nesting is counted on
// the way down; the depth of the finished tree is counted too, because chains such as a.b.c make deep
// trees without nesting.

namespace lacuna::jinja {
namespace {

constexpr int kMaxNesting = 128;
constexpr int kMaxTreeDepth = 256;

using Kind = Expr::Kind;

class Parser {
 public:
    explicit Parser(std::span<const Token> tokens) : tokens_(tokens) {}

    Result<Block> run() {
        LACUNA_TRY(Block block, blockUntil({}));
        return block;
    }

 private:
    // --- tokens ---
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    const Token& next() {
        const Token& token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool isOperator(std::string_view op) const {
        return peek().kind == Token::Kind::Operator && peek().text == op;
    }
    bool isName(std::string_view name, std::size_t ahead = 0) const {
        return peek(ahead).kind == Token::Kind::Name && peek(ahead).text == name;
    }
    bool skipOperator(std::string_view op) {
        if (!isOperator(op)) return false;
        next();
        return true;
    }
    bool skipName(std::string_view name) {
        if (!isName(name)) return false;
        next();
        return true;
    }
    static std::string shown(const Token& token) {
        switch (token.kind) {
            case Token::Kind::End:
                return "the end of the template";
            case Token::Kind::Data:
                return "text";
            case Token::Kind::OutputOpen:
            case Token::Kind::OutputEnd:
            case Token::Kind::BlockOpen:
            case Token::Kind::BlockEnd:
            case Token::Kind::Name:
            case Token::Kind::Text:
            case Token::Kind::Number:
            case Token::Kind::Operator:
                return format("\"{}\"", token.text);
        }
        return {};
    }
    tl::unexpected<Error> expected(std::string_view what) const {
        return fail(ErrorCode::TplSyntax, format("{}: found {}; expected {}",
                                                 describe(peek().place), shown(peek()), what));
    }
    static tl::unexpected<Error> unsupported(Place place, std::string_view what) {
        return fail(ErrorCode::TplUnsupported,
                    format("{}: {} is not built here", describe(place), what));
    }
    Status needOperator(std::string_view op) {
        if (skipOperator(op)) return {};
        return expected(format("\"{}\"", op));
    }
    Status needBlockEnd() {
        if (peek().kind != Token::Kind::BlockEnd) return expected("\"%}\"");
        next();
        return {};
    }
    Result<std::string> needName(std::string_view what) {
        if (peek().kind != Token::Kind::Name) return expected(what);
        return next().text;
    }

    // --- depth ---
    class Nesting {
     public:
        explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        ~Nesting() { --depth_; }

     private:
        int& depth_;
    };
    Status checkNesting() const {
        if (nesting_ <= kMaxNesting) return {};
        return fail(ErrorCode::TplLimit, format("{}: nested deeper than {}",
                                                describe(peek().place), kMaxNesting));
    }
    static Result<ExprPtr> finished(ExprPtr expr) {
        int below = 0;
        for (const ExprPtr& part : expr->parts)
            if (part) below = std::max(below, part->depth);
        for (const auto& [name, value] : expr->named) below = std::max(below, value->depth);
        expr->depth = below + 1;
        if (expr->depth > kMaxTreeDepth)
            return fail(ErrorCode::TplLimit,
                        format("{}: an expression of more than {} steps in a chain",
                               describe(expr->place), kMaxTreeDepth));
        return expr;
    }
    ExprPtr made(Kind kind) const { return made(kind, peek().place); }
    static ExprPtr made(Kind kind, Place place) {
        auto expr = std::make_unique<Expr>();
        expr->kind = kind;
        expr->place = place;
        return expr;
    }

    // --- statements ---
    bool atBlockEndName(std::span<const std::string_view> ends) const {
        if (peek().kind != Token::Kind::BlockOpen) return false;
        return std::any_of(ends.begin(), ends.end(),
                           [&](std::string_view name) { return isName(name, 1); });
    }

    /// Statements up to a tag named in `ends`, which stays; with none: up to the end.
    Result<Block> blockUntil(std::vector<std::string_view> ends) {
        const Nesting nesting(nesting_);
        LACUNA_TRY_STATUS(checkNesting());
        Block block;
        while (!atBlockEndName(ends)) {
            if (peek().kind == Token::Kind::End) {
                if (ends.empty()) return block;
                return expected(format("a tag \"{}\"", ends.front()));
            }
            LACUNA_TRY(Statement statement, oneStatement());
            block.push_back(std::move(statement));
        }
        next();  // the opening of the tag; its name stays
        return block;
    }

    Result<Statement> oneStatement() {
        Statement statement;
        statement.place = peek().place;
        if (peek().kind == Token::Kind::Data) {
            statement.kind = Statement::Kind::Data;
            statement.text = next().text;
            return statement;
        }
        if (peek().kind == Token::Kind::OutputOpen) {
            next();
            statement.kind = Statement::Kind::Output;
            LACUNA_TRY(statement.value, expression());
            if (peek().kind != Token::Kind::OutputEnd) return expected("\"}}\"");
            next();
            return statement;
        }
        if (peek().kind != Token::Kind::BlockOpen) return expected("text or a tag");
        next();
        return tag(std::move(statement));
    }

    Result<Statement> tag(Statement statement) {
        const Token word = peek();
        LACUNA_TRY(const std::string name, needName("the name of a tag"));
        if (name == "if") return ifTag(std::move(statement));
        if (name == "for") return forTag(std::move(statement));
        if (name == "set") return setTag(std::move(statement));
        if (name == "macro") return macroTag(std::move(statement));
        if (name == "generation") {
            statement.kind = Statement::Kind::Group;
            return bodyThenEnd(std::move(statement), "endgeneration");
        }
        if (name == "break" || name == "continue") {
            if (loops_ == 0)
                return fail(ErrorCode::TplSyntax, format("{}: \"{}\" stands outside of a loop",
                                                         describe(word.place), name));
            statement.kind =
                name == "break" ? Statement::Kind::Break : Statement::Kind::Continue;
            LACUNA_TRY_STATUS(needBlockEnd());
            return statement;
        }
        if (isJinjaTag(name)) return unsupported(word.place, format("the tag \"{}\"", name));
        return fail(ErrorCode::TplSyntax,
                    format("{}: the tag \"{}\" is not known", describe(word.place), name));
    }

    Result<Statement> bodyThenEnd(Statement statement, std::string_view end) {
        LACUNA_TRY_STATUS(needBlockEnd());
        LACUNA_TRY(statement.body, blockUntil({end}));
        next();
        if (end == "endmacro" && peek().kind == Token::Kind::Name) next();  // its name, repeated
        LACUNA_TRY_STATUS(needBlockEnd());
        return statement;
    }

    Result<Statement> ifTag(Statement statement) {
        statement.kind = Statement::Kind::If;
        LACUNA_TRY(ExprPtr condition, expression());
        for (;;) {
            LACUNA_TRY_STATUS(needBlockEnd());
            LACUNA_TRY(Block body, blockUntil(condition
                                                  ? std::vector<std::string_view>{"endif", "elif",
                                                                                  "else"}
                                                  : std::vector<std::string_view>{"endif"}));
            statement.branches.push_back({std::move(condition), std::move(body)});
            const std::string name = next().text;
            if (name == "endif") break;
            condition = nullptr;
            if (name == "elif") {
                LACUNA_TRY(condition, expression());
            }
        }
        LACUNA_TRY_STATUS(needBlockEnd());
        return statement;
    }

    Result<std::vector<std::string>> targets() {
        std::vector<std::string> names;
        const bool bracket = skipOperator("(");
        do {
            LACUNA_TRY(std::string name, needName("a variable"));
            names.push_back(std::move(name));
        } while (skipOperator(",") && peek().kind == Token::Kind::Name);
        if (bracket) LACUNA_TRY_STATUS(needOperator(")"));
        return names;
    }

    Result<Statement> forTag(Statement statement) {
        statement.kind = Statement::Kind::For;
        LACUNA_TRY(statement.targets, targets());
        if (!skipName("in")) return expected("\"in\"");
        LACUNA_TRY(statement.value, orLevel());
        if (skipName("if")) {
            LACUNA_TRY(statement.condition, expression());
        }
        if (isName("recursive")) return unsupported(peek().place, "a recursive loop");
        LACUNA_TRY_STATUS(needBlockEnd());
        ++loops_;
        auto body = blockUntil({"endfor", "else"});
        --loops_;
        LACUNA_TRY(statement.body, std::move(body));
        if (next().text == "else") {
            LACUNA_TRY_STATUS(needBlockEnd());
            LACUNA_TRY(statement.otherwise, blockUntil({"endfor"}));
            next();
        }
        LACUNA_TRY_STATUS(needBlockEnd());
        return statement;
    }

    Result<Statement> setTag(Statement statement) {
        statement.kind = Statement::Kind::Set;
        LACUNA_TRY(statement.targets, targets());
        if (statement.targets.size() == 1 && skipOperator(".")) {
            LACUNA_TRY(statement.attribute, needName("an attribute"));
        }
        if (peek().kind == Token::Kind::BlockEnd && statement.targets.size() == 1) {
            statement.kind = Statement::Kind::SetBlock;
            return bodyThenEnd(std::move(statement), "endset");
        }
        if (isOperator("|")) return unsupported(peek().place, "a filter on a set block");
        LACUNA_TRY_STATUS(needOperator("="));
        LACUNA_TRY(statement.value, tupleOrExpression());
        LACUNA_TRY_STATUS(needBlockEnd());
        return statement;
    }

    Result<Statement> macroTag(Statement statement) {
        statement.kind = Statement::Kind::Macro;
        LACUNA_TRY(statement.text, needName("the macro's name"));
        LACUNA_TRY_STATUS(needOperator("("));
        while (!skipOperator(")")) {
            if (!statement.parameters.empty()) LACUNA_TRY_STATUS(needOperator(","));
            Parameter parameter;
            LACUNA_TRY(parameter.name, needName("a parameter"));
            if (skipOperator("=")) {
                LACUNA_TRY(parameter.fallback, expression());
            }
            statement.parameters.push_back(std::move(parameter));
        }
        const int outer = loops_;
        loops_ = 0;  // a loop around the macro is none inside it
        auto done = bodyThenEnd(std::move(statement), "endmacro");
        loops_ = outer;
        return done;
    }

    // --- expressions, lowest precedence first ---
    Result<ExprPtr> tupleOrExpression() {
        LACUNA_TRY(ExprPtr first, expression());
        if (!isOperator(",")) return first;
        ExprPtr tuple = made(Kind::List, first->place);
        tuple->parts.push_back(std::move(first));
        while (skipOperator(",")) {
            if (peek().kind == Token::Kind::BlockEnd || isOperator(")")) break;
            LACUNA_TRY(ExprPtr element, expression());
            tuple->parts.push_back(std::move(element));
        }
        return finished(std::move(tuple));
    }

    Result<ExprPtr> expression() {
        const Nesting nesting(nesting_);
        LACUNA_TRY_STATUS(checkNesting());
        LACUNA_TRY(ExprPtr value, orLevel());
        while (isName("if")) {
            ExprPtr choice = made(Kind::Conditional);
            next();
            LACUNA_TRY(ExprPtr condition, orLevel());
            ExprPtr otherwise;
            if (skipName("else")) {
                LACUNA_TRY(otherwise, expression());
            }
            choice->parts.push_back(std::move(value));
            choice->parts.push_back(std::move(condition));
            choice->parts.push_back(std::move(otherwise));
            LACUNA_TRY(value, finished(std::move(choice)));
        }
        return value;
    }

    using Level = Result<ExprPtr> (Parser::*)();

    /// a OP b OP c of one operator, as one node.
    Result<ExprPtr> joined(Level below, Kind kind, bool (Parser::*skip)()) {
        LACUNA_TRY(ExprPtr first, (this->*below)());
        ExprPtr all;
        while ((this->*skip)()) {
            if (!all) {
                all = made(kind, first->place);
                all->parts.push_back(std::move(first));
            }
            LACUNA_TRY(ExprPtr part, (this->*below)());
            all->parts.push_back(std::move(part));
        }
        if (!all) return first;
        return finished(std::move(all));
    }
    bool skipOr() { return skipName("or"); }
    bool skipAnd() { return skipName("and"); }
    bool skipTilde() { return skipOperator("~"); }

    Result<ExprPtr> orLevel() { return joined(&Parser::andLevel, Kind::Or, &Parser::skipOr); }
    Result<ExprPtr> andLevel() { return joined(&Parser::notLevel, Kind::And, &Parser::skipAnd); }

    Result<ExprPtr> notLevel() {
        if (!isName("not")) return compareLevel();
        const Nesting nesting(nesting_);
        LACUNA_TRY_STATUS(checkNesting());
        ExprPtr negation = made(Kind::Not);
        next();
        LACUNA_TRY(ExprPtr part, notLevel());
        negation->parts.push_back(std::move(part));
        return finished(std::move(negation));
    }

    std::optional<CompareOp> skipCompare() {
        struct Spelling {
            std::string_view text;
            CompareOp op;
        };
        constexpr std::array<Spelling, 6> kSpellings = {{{"==", CompareOp::Equal},
                                                         {"!=", CompareOp::NotEqual},
                                                         {"<=", CompareOp::LessEqual},
                                                         {">=", CompareOp::GreaterEqual},
                                                         {"<", CompareOp::Less},
                                                         {">", CompareOp::Greater}}};
        for (const Spelling& spelling : kSpellings)
            if (skipOperator(spelling.text)) return spelling.op;
        if (skipName("in")) return CompareOp::In;
        if (isName("not") && isName("in", 1)) {
            next();
            next();
            return CompareOp::NotIn;
        }
        return std::nullopt;
    }

    Result<ExprPtr> compareLevel() {
        LACUNA_TRY(ExprPtr first, addLevel());
        ExprPtr chain;
        while (const auto op = skipCompare()) {
            if (!chain) {
                chain = made(Kind::Compare, first->place);
                chain->parts.push_back(std::move(first));
            }
            chain->compares.push_back(*op);
            LACUNA_TRY(ExprPtr part, addLevel());
            chain->parts.push_back(std::move(part));
        }
        if (!chain) return first;
        return finished(std::move(chain));
    }

    Result<ExprPtr> binary(ExprPtr left, BinaryOp op, Level below) {
        ExprPtr node = made(Kind::Binary);
        next();
        node->binary = op;
        LACUNA_TRY(ExprPtr right, (this->*below)());
        node->parts.push_back(std::move(left));
        node->parts.push_back(std::move(right));
        return finished(std::move(node));
    }

    Result<ExprPtr> addLevel() {
        LACUNA_TRY(ExprPtr left, concatLevel());
        while (isOperator("+") || isOperator("-")) {
            const BinaryOp op = isOperator("+") ? BinaryOp::Add : BinaryOp::Subtract;
            LACUNA_TRY(left, binary(std::move(left), op, &Parser::concatLevel));
        }
        return left;
    }
    Result<ExprPtr> concatLevel() {
        return joined(&Parser::multiplyLevel, Kind::Concat, &Parser::skipTilde);
    }
    Result<ExprPtr> multiplyLevel() {
        LACUNA_TRY(ExprPtr left, powerLevel());
        for (;;) {
            BinaryOp op = BinaryOp::Multiply;
            if (isOperator("*")) op = BinaryOp::Multiply;
            else if (isOperator("/")) op = BinaryOp::Divide;
            else if (isOperator("//")) op = BinaryOp::FloorDivide;
            else if (isOperator("%")) op = BinaryOp::Modulo;
            else return left;
            LACUNA_TRY(left, binary(std::move(left), op, &Parser::powerLevel));
        }
    }
    Result<ExprPtr> powerLevel() {
        LACUNA_TRY(ExprPtr left, unaryLevel());
        while (isOperator("**")) {
            LACUNA_TRY(left, binary(std::move(left), BinaryOp::Power, &Parser::unaryLevel));
        }
        return left;
    }

    Result<ExprPtr> unaryLevel() {
        LACUNA_TRY(ExprPtr value, signedValue());
        return filtersAndTests(std::move(value));
    }
    /// A value with its sign; filters bind looser than the sign.
    Result<ExprPtr> signedValue() {
        if (!isOperator("-") && !isOperator("+")) {
            LACUNA_TRY(ExprPtr value, primary());
            return postfix(std::move(value));
        }
        const Nesting nesting(nesting_);
        LACUNA_TRY_STATUS(checkNesting());
        ExprPtr sign = made(isOperator("-") ? Kind::Negate : Kind::Plus);
        next();
        LACUNA_TRY(ExprPtr value, signedValue());
        sign->parts.push_back(std::move(value));
        return finished(std::move(sign));
    }

    Result<ExprPtr> primary() {
        const Token token = peek();
        switch (token.kind) {
            case Token::Kind::Name:
                next();
                return nameOrConstant(token);
            case Token::Kind::Text: {
                ExprPtr text = made(Kind::Constant);
                std::string joinedText;
                while (peek().kind == Token::Kind::Text) joinedText += next().text;
                text->constant = std::move(joinedText);
                return text;
            }
            case Token::Kind::Number:
                next();
                return number(token);
            case Token::Kind::Operator:
                if (token.text == "(") return bracketed();
                if (token.text == "[") return list();
                if (token.text == "{") return dictionary();
                break;
            case Token::Kind::Data:
            case Token::Kind::OutputOpen:
            case Token::Kind::OutputEnd:
            case Token::Kind::BlockOpen:
            case Token::Kind::BlockEnd:
            case Token::Kind::End:
                break;
        }
        return expected("a value");
    }

    static Result<ExprPtr> nameOrConstant(const Token& token) {
        ExprPtr expr = made(Kind::Constant, token.place);
        if (token.text == "true" || token.text == "True") expr->constant = true;
        else if (token.text == "false" || token.text == "False") expr->constant = false;
        else if (token.text == "none" || token.text == "None") expr->constant = NoneConstant{};
        else {
            expr->kind = Kind::Name;
            expr->name = token.text;
        }
        return expr;
    }

    static Result<ExprPtr> number(const Token& token) {
        ExprPtr expr = made(Kind::Constant, token.place);
        const char* begin = token.text.data();
        const char* end = begin + token.text.size();
        if (token.text.find_first_of(".eE") != std::string::npos) {
            double value = 0;
            std::from_chars(begin, end, value);
            expr->constant = value;
            return expr;
        }
        std::int64_t value = 0;
        if (std::from_chars(begin, end, value).ec != std::errc())
            return fail(ErrorCode::TplLimit, format("{}: the number {} needs more than 64 bits",
                                                    describe(token.place), token.text));
        expr->constant = value;
        return expr;
    }

    Result<ExprPtr> bracketed() {
        const Place place = next().place;
        if (skipOperator(")")) return made(Kind::List, place);  // the empty tuple
        LACUNA_TRY(ExprPtr value, tupleOrExpression());
        LACUNA_TRY_STATUS(needOperator(")"));
        return value;
    }

    Result<ExprPtr> list() {
        ExprPtr all = made(Kind::List);
        next();
        while (!skipOperator("]")) {
            if (!all->parts.empty()) LACUNA_TRY_STATUS(needOperator(","));
            if (skipOperator("]")) break;
            LACUNA_TRY(ExprPtr element, expression());
            all->parts.push_back(std::move(element));
        }
        return finished(std::move(all));
    }

    Result<ExprPtr> dictionary() {
        ExprPtr all = made(Kind::Dict);
        next();
        while (!skipOperator("}")) {
            if (!all->parts.empty()) LACUNA_TRY_STATUS(needOperator(","));
            if (skipOperator("}")) break;
            LACUNA_TRY(ExprPtr key, expression());
            LACUNA_TRY_STATUS(needOperator(":"));
            LACUNA_TRY(ExprPtr value, expression());
            all->parts.push_back(std::move(key));
            all->parts.push_back(std::move(value));
        }
        return finished(std::move(all));
    }

    Result<ExprPtr> postfix(ExprPtr value) {
        for (;;) {
            if (isOperator(".")) {
                LACUNA_TRY(value, attribute(std::move(value)));
            } else if (isOperator("[")) {
                LACUNA_TRY(value, subscript(std::move(value)));
            } else if (isOperator("(")) {
                LACUNA_TRY(value, call(std::move(value)));
            } else {
                return value;
            }
        }
    }

    Result<ExprPtr> attribute(ExprPtr object) {
        ExprPtr node = made(Kind::Attribute);
        next();
        if (peek().kind == Token::Kind::Number) {  // a.0 is a[0]
            node->kind = Kind::Subscript;
            const Token digits = next();
            LACUNA_TRY(ExprPtr index, number(digits));
            node->parts.push_back(std::move(object));
            node->parts.push_back(std::move(index));
            return finished(std::move(node));
        }
        const Place place = peek().place;
        LACUNA_TRY(node->name, needName("an attribute"));
        if (node->name.starts_with("__"))
            return unsupported(place, format("the attribute \"{}\"", node->name));
        node->parts.push_back(std::move(object));
        return finished(std::move(node));
    }

    Result<ExprPtr> subscript(ExprPtr object) {
        ExprPtr node = made(Kind::Subscript);
        next();
        node->parts.push_back(std::move(object));
        for (int colons = 0;;) {
            ExprPtr part;
            if (!isOperator(":") && !isOperator("]")) {
                LACUNA_TRY(part, expression());
            }
            node->parts.push_back(std::move(part));
            if (skipOperator("]")) break;
            if (!isOperator(":") || ++colons > 2) return expected("\"]\"");
            node->kind = Kind::Slice;
            next();
        }
        if (node->kind == Kind::Slice) node->parts.resize(4);
        else if (!node->parts[1]) return expected("an index");
        return finished(std::move(node));
    }

    Status arguments(Expr& node) {
        LACUNA_TRY_STATUS(needOperator("("));
        for (bool first = true; !skipOperator(")"); first = false) {
            if (!first) LACUNA_TRY_STATUS(needOperator(","));
            if (!first && skipOperator(")")) break;
            if (isOperator("*") || isOperator("**"))
                return unsupported(peek().place, "unpacking arguments with *");
            const bool isNamed = peek().kind == Token::Kind::Name &&
                                 peek(1).kind == Token::Kind::Operator && peek(1).text == "=";
            std::string name;
            if (isNamed) {
                name = next().text;
                next();
            }
            LACUNA_TRY(ExprPtr value, expression());
            if (isNamed) node.named.emplace_back(std::move(name), std::move(value));
            else if (!node.named.empty()) return expected("a named argument");
            else node.parts.push_back(std::move(value));
        }
        return {};
    }

    Result<ExprPtr> call(ExprPtr callee) {
        ExprPtr node = made(Kind::Call);
        node->parts.push_back(std::move(callee));
        LACUNA_TRY_STATUS(arguments(*node));
        return finished(std::move(node));
    }

    Result<ExprPtr> filtersAndTests(ExprPtr value) {
        for (;;) {
            if (isOperator("|")) {
                LACUNA_TRY(value, filter(std::move(value)));
            } else if (isName("is")) {
                LACUNA_TRY(value, test(std::move(value)));
            } else if (isOperator("(")) {
                LACUNA_TRY(value, call(std::move(value)));
            } else {
                return value;
            }
        }
    }

    static Status checkKnown(Known known, Place place, std::string_view what,
                             std::string_view name) {
        switch (known) {
            case Known::Built:
                return {};
            case Known::NotBuilt:
                return unsupported(place, format("the {} \"{}\"", what, name));
            case Known::Unknown:
                return fail(ErrorCode::TplSyntax,
                            format("{}: the {} \"{}\" is not known", describe(place), what, name));
        }
        return {};
    }

    Result<ExprPtr> filter(ExprPtr input) {
        next();
        ExprPtr node = made(Kind::Filter);
        LACUNA_TRY(node->name, needName("the name of a filter"));
        LACUNA_TRY_STATUS(checkKnown(knownFilter(node->name), node->place, "filter", node->name));
        node->parts.push_back(std::move(input));
        if (isOperator("(")) LACUNA_TRY_STATUS(arguments(*node));
        return finished(std::move(node));
    }

    /// Whether an argument without brackets follows a test's name.
    bool startsTestArgument() const {
        const Token& token = peek();
        if (token.kind == Token::Kind::Text || token.kind == Token::Kind::Number) return true;
        if (token.kind == Token::Kind::Operator) return token.text == "[" || token.text == "{";
        constexpr std::array<std::string_view, 5> kNone = {"else", "or", "and", "is", "if"};
        return token.kind == Token::Kind::Name && token.text != "in" && token.text != "not" &&
               std::find(kNone.begin(), kNone.end(), token.text) == kNone.end();
    }

    Result<ExprPtr> test(ExprPtr input) {
        next();
        const bool negated = skipName("not");
        ExprPtr node = made(Kind::Test);
        LACUNA_TRY(node->name, needName("the name of a test"));
        LACUNA_TRY_STATUS(checkKnown(knownTest(node->name), node->place, "test", node->name));
        node->parts.push_back(std::move(input));
        if (isOperator("(")) {
            LACUNA_TRY_STATUS(arguments(*node));
        } else if (startsTestArgument()) {
            LACUNA_TRY(ExprPtr bare, primary());
            LACUNA_TRY(ExprPtr argument, postfix(std::move(bare)));
            node->parts.push_back(std::move(argument));
        }
        LACUNA_TRY(ExprPtr tested, finished(std::move(node)));
        if (!negated) return tested;
        ExprPtr negation = made(Kind::Not, tested->place);
        negation->parts.push_back(std::move(tested));
        return finished(std::move(negation));
    }

    std::span<const Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    int loops_ = 0;
};

}  // namespace

Result<Block> parseTemplate(std::span<const Token> tokens) { return Parser(tokens).run(); }

}  // namespace lacuna::jinja

// Media and parts stay in step here, so that nobody else has to count.
#include "app/asked.h"

#include <iterator>
#include <utility>

#include "base/check.h"

namespace saker {

void Asked::add_text(Role role, const std::string& text) {
    Message message;
    message.role = role;
    message.content.emplace_back();
    message.content.back().text = text;
    chat.messages.push_back(std::move(message));
}

void Asked::add_question(const std::string& text, std::vector<MediaInput> shown) {
    add_text(Role::user, text);
    std::vector<ContentPart>& content = chat.messages.back().content;
    for (size_t i = 0; i < shown.size(); ++i) {
        ContentPart part;
        part.kind = shown[i].modality == Modality::image ? ContentPart::Kind::image
                                                         : ContentPart::Kind::video;
        content.insert(content.begin() + static_cast<ptrdiff_t>(i), part);
    }
    std::move(shown.begin(), shown.end(), std::back_inserter(media));
}

std::vector<MediaInput> Asked::take_back() {
    CHECK(!chat.messages.empty(), "there is no message to take back");
    size_t count = 0;
    for (const ContentPart& part : chat.messages.back().content)
        count += part.kind != ContentPart::Kind::text;
    chat.messages.pop_back();
    const auto from = media.end() - static_cast<ptrdiff_t>(count);
    std::vector<MediaInput> shown(std::make_move_iterator(from),
                                  std::make_move_iterator(media.end()));
    media.erase(from, media.end());
    return shown;
}

}  // namespace saker

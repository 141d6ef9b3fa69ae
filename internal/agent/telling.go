package agent

import "github.com/refrain-loop/refrain/internal/loop"

// tellingPhrases are clear whatever the status. Google's quotas come first:
// they are put like OpenAI's "you exceeded your current quota", which is about
// money, but they pass, unless there is none at all. Then comes money, which has
// the status of a rate limit, yet waiting does not help.
var tellingPhrases = []phrase{
	{"disk quota", loop.ErrAgent},
	{"invalid model tool", loop.ErrAgent},
	{"not your usage limit", loop.ErrRateLimit}, // claude, while its server limits everybody
	{"on tokens per day", loop.ErrUsageLimit},   // Groq
	{"on requests per day", loop.ErrUsageLimit}, // OpenAI
	// OpenAI, with advice to pay behind it: who waits gets on.
	{"rate limit reached for", loop.ErrRateLimit},
	{"increase your rate limit", loop.ErrRateLimit},
	{"no capacity available", loop.ErrOverloaded},
	{"model_capacity_exhausted", loop.ErrOverloaded},
	{"exhausted. it will reset at", loop.ErrUsageLimit}, // qwen, with a word for money behind it
	{", limit: 0,", loop.ErrBilling},
	{", limit: 0\n", loop.ErrBilling},
	{"perday", loop.ErrUsageLimit}, // "GenerateRequestsPerDayPerProjectPerModel"
	{"daily quota", loop.ErrUsageLimit},
	{"perminute", loop.ErrRateLimit},
	{"please retry in", loop.ErrRateLimit},
	{"ai.google.dev/gemini-api/docs/rate-limits", loop.ErrUsageLimit},

	{"reason: content_filter", loop.ErrRefusal},        // codex, for which it is a stream that ended too early
	{"due to safety", loop.ErrRefusal},                 // gemini
	{"prohibited_content", loop.ErrRefusal},            // Google
	{"violates usage guidelines", loop.ErrRefusal},     // xAI, with the status of a wrong key
	{"content management policy", loop.ErrRefusal},     // Azure
	{"content filtering policy", loop.ErrRefusal},      // Anthropic
	{"content_policy_violation", loop.ErrRefusal},      // OpenAI
	{"rejected by our safety system", loop.ErrRefusal}, // OpenAI
	{"result of our safety system", loop.ErrRefusal},   // OpenAI
	{"requires moderation", loop.ErrRefusal},           // OpenRouter, with the status of a wrong key
	{"prompt was flagged", loop.ErrRefusal},
	{"input was flagged", loop.ErrRefusal},
	{"request was flagged", loop.ErrRefusal},
	{"content was flagged", loop.ErrRefusal},
	{"inappropriate content", loop.ErrRefusal},        // Alibaba
	{"content exists risk", loop.ErrRefusal},          // DeepSeek
	{"unsafe or sensitive content", loop.ErrRefusal},  // Zhipu
	{"responsibleaipolicyviolation", loop.ErrRefusal}, // Azure
	{"content policy", loop.ErrRefusal},
	{"usage policies", loop.ErrRefusal},
	{"response was filtered", loop.ErrRefusal},
	{"flagged for possible", loop.ErrRefusal}, // codex
	{"safeguards flagged", loop.ErrRefusal},   // claude
	{"blocked by content filter", loop.ErrRefusal},
	{"blocked by the content filter", loop.ErrRefusal},
	{"blocked by safety filter", loop.ErrRefusal},
	{"blocked by the safety filter", loop.ErrRefusal},
	{"safety classifier", loop.ErrRefusal},

	{"credit balance", loop.ErrBilling},
	{"billing details", loop.ErrBilling},
	{"billing hard limit", loop.ErrBilling},
	{"insufficient_quota", loop.ErrBilling},
	{"insufficient credit", loop.ErrBilling},
	{"insufficient_credit", loop.ErrBilling},
	{"no credits left", loop.ErrBilling},
	{"billing is not active", loop.ErrBilling},
	{"requires a paid plan", loop.ErrBilling},
	{"payment overdue", loop.ErrBilling},
	{"spending cap", loop.ErrBilling},
	{"workspace's credit limit", loop.ErrBilling}, // codex
	{"insufficient balance", loop.ErrBilling},
	{"exceeded your current quota", loop.ErrBilling},
	{"requires more credits", loop.ErrBilling},
	{"payment required", loop.ErrBilling},
	{"payment method", loop.ErrBilling}, // opencode
	{"out of credits", loop.ErrBilling}, // codex, for a team
	{"not enough credit", loop.ErrBilling},
	{"insufficient funds", loop.ErrBilling},
	{"account is in good standing", loop.ErrBilling}, // qwen
	{"extra usage is required", loop.ErrBilling},     // claude, for a long context
	{"you have no quota", loop.ErrBilling},           // copilot
	{"spending limit", loop.ErrBilling},              // xAI, for a team
	{"run out of credit", loop.ErrBilling},
	{"credits are depleted", loop.ErrBilling},     // Google
	{"usage credits required", loop.ErrBilling},   // claude, for a long context
	{"budget has been exceeded", loop.ErrBilling}, // LiteLLM
	{"spend limit", loop.ErrBilling},
	{"spend cap", loop.ErrBilling},
	{"key limit exceeded", loop.ErrBilling}, // OpenRouter, with the status of a wrong key
	{"subscription has expired", loop.ErrBilling},
	{"subscription has ended", loop.ErrBilling},
	{"subscription expired", loop.ErrBilling},
	{"no active subscription", loop.ErrBilling},
	{"trial has ended", loop.ErrBilling},
	{"free tier of the model has been exhausted", loop.ErrBilling}, // Alibaba, with the status of a wrong key
	{"doesn't have any credits", loop.ErrBilling},                  // xAI, with the status of a wrong key
	{"trial has expired", loop.ErrBilling},
	{"insufficient_balance", loop.ErrBilling},
	{"insufficient account balance", loop.ErrBilling},
	{"not enough balance", loop.ErrBilling},
	{"balance is too low", loop.ErrBilling},
	{"余额不足", loop.ErrBilling},                                // Zhipu
	{"arrearage", loop.ErrBilling},                           // Alibaba
	{"to use codex with your chatgpt plan", loop.ErrBilling}, // codex: the plan has none

	{"usage limit", loop.ErrUsageLimit},
	{"usage quota", loop.ErrUsageLimit},
	{"limit of your plan", loop.ErrUsageLimit},
	{"usagelimiterror", loop.ErrUsageLimit},     // opencode
	{"free usage exceeded", loop.ErrUsageLimit}, // opencode
	{"out of extra usage", loop.ErrUsageLimit},  // claude
	{"weekly rate limit", loop.ErrUsageLimit},   // copilot
	{"weekly_rate_limited", loop.ErrUsageLimit}, // copilot
	{"session limit", loop.ErrUsageLimit},
	{"weekly limit", loop.ErrUsageLimit},
	{"daily rate limit", loop.ErrUsageLimit},
	{"hourly limit", loop.ErrUsageLimit},
	{"daily limit", loop.ErrUsageLimit},
	{"monthly limit", loop.ErrUsageLimit},
	{"5-hour limit", loop.ErrUsageLimit},
	{"5 hour limit", loop.ErrUsageLimit},
	{"5h limit", loop.ErrUsageLimit},
	{"five-hour limit", loop.ErrUsageLimit},
	{"opus limit", loop.ErrUsageLimit},
	{"sonnet limit", loop.ErrUsageLimit},
	{"free allocated quota", loop.ErrUsageLimit}, // qwen
	{"requests per day per", loop.ErrUsageLimit}, // gemini
	{"free-models-per-day", loop.ErrUsageLimit},  // OpenRouter
	{"expected quota reset", loop.ErrUsageLimit}, // gemini
	{"quota will reset", loop.ErrUsageLimit},
	{"exhausted your capacity", loop.ErrUsageLimit},
	{"plan limit", loop.ErrUsageLimit},
	{"message limit", loop.ErrUsageLimit},
	{"message cap", loop.ErrUsageLimit},
	{"5h cap", loop.ErrUsageLimit},
	{"run out of messages", loop.ErrUsageLimit},
	{"out of usage for", loop.ErrUsageLimit},
	{"no usage left", loop.ErrUsageLimit},
	{"plan usage exceeded", loop.ErrUsageLimit},
	{"usage will reset", loop.ErrUsageLimit},
	{"allowance is used up", loop.ErrUsageLimit},
	{"usage cap", loop.ErrUsageLimit},
	{"quota has been exhausted", loop.ErrUsageLimit},
	{"quota has been reached", loop.ErrUsageLimit},
	{"quota limit reached", loop.ErrUsageLimit},
	{"quota exhausted", loop.ErrUsageLimit}, // qwen
	{"quota reached", loop.ErrUsageLimit},
	{"hour allocated quota", loop.ErrUsageLimit},  // Alibaba, for a plan
	{"week allocated quota", loop.ErrUsageLimit},  // the same
	{"month allocated quota", loop.ErrUsageLimit}, // the same
	{"premium request", loop.ErrUsageLimit},
	{"usage_limit_reached", loop.ErrUsageLimit},

	{"prompt is too long", loop.ErrContextOverflow},
	{"prompt as too long", loop.ErrContextOverflow},
	{"context_length_exceeded", loop.ErrContextOverflow},
	{"context length", loop.ErrContextOverflow},
	{"context window", loop.ErrContextOverflow},
	{"context limit", loop.ErrContextOverflow},
	{"input is too long", loop.ErrContextOverflow},
	{"input token count", loop.ErrContextOverflow},
	{"maximum context", loop.ErrContextOverflow},
	{"contextoverflowerror", loop.ErrContextOverflow},           // kimi
	{"maximum prompt length", loop.ErrContextOverflow},          // xAI
	{"prompt token count of", loop.ErrContextOverflow},          // copilot
	{"exceeded model token limit", loop.ErrContextOverflow},     // Moonshot
	{"range of input length", loop.ErrContextOverflow},          // Alibaba
	{"available context size", loop.ErrContextOverflow},         // llama.cpp
	{"context size has been exceeded", loop.ErrContextOverflow}, // LM Studio
	{"exceed_context_size", loop.ErrContextOverflow},            // llama.cpp
	{"conversation too long", loop.ErrContextOverflow},          // claude
	{"conversation is too long", loop.ErrContextOverflow},
	{"request too large (max", loop.ErrContextOverflow}, // claude
	{"reduce the length of the messages", loop.ErrContextOverflow},
	{"prompt_tokens_exceeded", loop.ErrContextOverflow},
	{"input tokens exceed", loop.ErrContextOverflow},
	{"prompt exceeds max", loop.ErrContextOverflow},
	{"input exceeds the maximum length", loop.ErrContextOverflow}, // codex
	{"exceed max message tokens", loop.ErrContextOverflow},
	{"too many tokens in the prompt", loop.ErrContextOverflow},
	{"allowed number of input tokens", loop.ErrContextOverflow},
	{"maximum number of input tokens", loop.ErrContextOverflow},
	{"exceeds the maximum number of tokens", loop.ErrContextOverflow},
	{"input length exceeds", loop.ErrContextOverflow},
	{"input is too large for this model", loop.ErrContextOverflow},
	{"too large for the model", loop.ErrContextOverflow},
	{"longer than the model's context", loop.ErrContextOverflow},

	{"model_not_found", loop.ErrModel},
	{"model not found", loop.ErrModel},
	{"issue with the selected model", loop.ErrModel},
	{"model is not supported", loop.ErrModel},
	{"does not exist or you do not have access", loop.ErrModel},
	{"not found for api version", loop.ErrModel},
	{"unknown model", loop.ErrModel},
	{"unsupported model", loop.ErrModel},
	{"use /login to log into", loop.ErrAuth}, // pi
	{"no model selected", loop.ErrModel},
	{"selected model is unavailable", loop.ErrModel},
	{"invalid model", loop.ErrModel},
	{"is not a valid model", loop.ErrModel},
	{"model not exist", loop.ErrModel},                                 // DeepSeek
	{"modelnotfounderror", loop.ErrModel},                              // opencode
	{"api deployment for this resource does not exist", loop.ErrModel}, // Azure
	{"llm provider not provided", loop.ErrModel},                       // aider
	{"not found the model", loop.ErrModel},                             // Moonshot
	{"no endpoints found", loop.ErrModel},                              // OpenRouter
	{"not found: model", loop.ErrModel},                                // codex, crush
	{"could not resolve model", loop.ErrModel},
	{"couldn't set model", loop.ErrModel}, // grok
	{"unable to find model", loop.ErrModel},
	{"unable to access model", loop.ErrModel},
	{"no provider found for model", loop.ErrModel},

	{"could not be refreshed", loop.ErrAuth}, // claude, codex
	{"please run /login", loop.ErrAuth},      // claude
	{"organization has been disabled", loop.ErrAuth},

	{"overloaded", loop.ErrOverloaded},     // claude, as a server error
	{"at capacity", loop.ErrOverloaded},    // codex
	{"unable to connect", loop.ErrNetwork}, // claude, as a server error
}

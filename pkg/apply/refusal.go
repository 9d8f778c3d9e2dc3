package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of what a refusal repeats of the API server's words, in bytes.
const (
	messageCap = 300
	fieldCap   = 200
)

// conflict is the error for an object that something else of the cluster is in the way of.
type conflict string

func (c conflict) Error() string { return string(c) }

// refusal returns why a request about an object failed: the reason, the field that
// it is about, and a sentence for people, in which no value of the object is repeated.
// The reason is "" if the API server said nothing about the object. The object is the one
// that was sent, nil if none was.
func refusal(r Ref, sent *unstructured.Unstructured, err error) (reason model.Reason, field, sentence string) {
	var status apierrors.APIStatus
	var waits *fought
	switch {
	case is[*late](err):
		return "", "", r.String() + ": " + err.Error()
	case is[*foreign](err):
		return model.OutcomeForeign, "", r.String() + ": " + text.Line(err.Error(), messageCap)
	case errors.As(err, &waits):
		return model.OutcomeConflict, waits.Path, r.String() + ": " + text.Line(err.Error(), messageCap)
	case len(heldFields(err)) > 0:
		held := heldFields(err)
		return model.OutcomeConflict, cutPath(held[0].Path), r.String() + ": " + heldText(held)
	case errors.As(err, &status):
		s := status.Status()
		reason = reasonOf(&s, err)
		s = withoutValuesOf(sent, s)
		field = fieldOf(&s)
		return reason, field, answer(r, &s, reason, field)
	case is[*unknownKind](err):
		return model.OutcomeKindUnknown, "", r.String() + ": " + text.Line(err.Error(), messageCap) + "; install its definition, or remove the object from Git"
	case is[conflict](err):
		return model.OutcomeConflict, "", r.String() + ": " + text.Line(err.Error(), messageCap)
	case errors.Is(err, context.Canceled):
		return "", "", "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "", "", "the API server gave no answer in time"
	case unreachable(err):
		return "", "", "the API server cannot be reached: " + cutValues(err.Error(), messageCap)
	}
	return model.OutcomeRefused, "", r.String() + ": " + cutValues(cutRepeated(err.Error(), sent), messageCap)
}

// withoutValuesOf returns an answer without the words that are values of the object.
func withoutValuesOf(sent *unstructured.Unstructured, s metav1.Status) metav1.Status {
	if before, said, denied := strings.Cut(s.Message, "denied the request: "); denied {
		s.Message = before + "denied the request: " + cutRepeated(said, sent)
	} else {
		s.Message = cutRepeated(s.Message, sent)
	}
	if s.Details != nil {
		details := *s.Details
		details.Causes = slices.Clone(details.Causes)
		for i := range details.Causes {
			c := &details.Causes[i]
			c.Field = cutRepeated(c.Field, sent)
			if kind, said, ok := strings.Cut(c.Message, ": "); ok && slices.Contains(valueTypes, kind) {
				c.Message = kind + ": " + cutRepeated(said, sent)
			} else {
				c.Message = cutRepeated(c.Message, sent)
			}
		}
		s.Details = &details
	}
	return s
}

// heldText says which fields others hold.
func heldText(held []Difference) string {
	r := Result{Action: Corrected, Drift: held}
	return text.Line("others hold fields that differ, and policy.conflicts is report: "+r.What(), messageCap)
}

// reasonOf classifies an answer of the API server.
func reasonOf(s *metav1.Status, err error) model.Reason {
	said := s.Message[:min(len(s.Message), scanned)]
	switch {
	case strings.Contains(said, "failed calling webhook"):
		return model.OutcomeWebhookTimeout
	case strings.Contains(said, "denied the request") && strings.Contains(said, "admission webhook"):
		return model.OutcomeWebhookRefused
	case strings.Contains(said, "ValidatingAdmissionPolicy"):
		return model.OutcomeForbidden
	case s.Reason == metav1.StatusReasonForbidden && strings.Contains(said, "exceeded quota"):
		return model.OutcomeQuotaExceeded
	case s.Reason == metav1.StatusReasonForbidden && strings.Contains(said, "being terminated"), s.Reason == metav1.StatusReasonConflict:
		return model.OutcomeConflict
	case s.Reason == metav1.StatusReasonForbidden:
		return model.OutcomeForbidden
	case s.Reason == metav1.StatusReasonInvalid && immutable(s):
		return model.OutcomeImmutable
	case s.Reason == metav1.StatusReasonInvalid, s.Reason == metav1.StatusReasonBadRequest, s.Reason == metav1.StatusReasonRequestEntityTooLarge,
		strings.Contains(said, "failed to create typed patch object"):
		return model.OutcomeInvalid
	case exhausted(err):
		return ""
	}
	return model.OutcomeRefused
}

// immutable reports whether an object is invalid only because fields cannot be changed.
func immutable(s *metav1.Status) bool {
	if s.Details == nil || len(s.Details.Causes) == 0 {
		return strings.Contains(s.Message[:min(len(s.Message), scanned)], "immutable")
	}
	return !slices.ContainsFunc(s.Details.Causes, func(c metav1.StatusCause) bool { return !unchangeable(c.Message) })
}

// unchangeable reports whether a cause is that a field cannot be changed. Kinds have
// their own words for it, which stand at the end, after the value.
func unchangeable(cause string) bool {
	cause = cause[max(0, len(cause)-scanned):]
	return strings.Contains(cause, "immutable") || strings.Contains(cause, "updates to statefulset spec for fields other than") ||
		strings.Contains(cause, "may not be changed") || strings.Contains(cause, "may not change")
}

// fieldOf returns the field that an answer is about, "" if it names none.
func fieldOf(s *metav1.Status) string {
	if s.Details == nil {
		return ""
	}
	for _, c := range s.Details.Causes {
		if c.Field != "" && c.Field != "<nil>" {
			return cutPath(c.Field)
		}
	}
	return ""
}

// answer makes a sentence of what the API server says about an object.
func answer(r Ref, s *metav1.Status, reason model.Reason, field string) string {
	said, where := detail(s), "a field"
	if field != "" {
		where = field
	}
	if r.Kind == "Secret" {
		said = "its values are not repeated here" // validation repeats refused values
	}
	switch reason {
	case model.OutcomeImmutable:
		return fmt.Sprintf("%s: %s cannot be changed after creation; delete the object or choose another name", r, where)
	case model.OutcomeInvalid:
		if s.Reason == metav1.StatusReasonRequestEntityTooLarge {
			return r.String() + ": it is larger than the API server accepts; make it smaller"
		}
		if field != "" {
			said = field + ": " + said
		}
		return fmt.Sprintf("%s: the API server finds it invalid: %s; correct it in Git", r, said)
	case model.OutcomeQuotaExceeded:
		return fmt.Sprintf("%s: a resource quota of the namespace is exceeded: %s", r, said)
	case model.OutcomeForbidden:
		return fmt.Sprintf("%s: the API server forbids it: %s", r, said)
	case model.OutcomeWebhookRefused:
		return fmt.Sprintf("%s: the admission webhook %srefuses it: %s", r, webhook(s), said)
	case model.OutcomeWebhookTimeout:
		return fmt.Sprintf("%s: the admission webhook %sdoes not answer: it has to be repaired, the object is not to blame", r, webhook(s))
	case model.OutcomeConflict:
		if s.Reason == metav1.StatusReasonForbidden {
			return r.String() + ": its namespace is being deleted"
		}
		return r.String() + ": it was changed by somebody else at the same moment"
	}
	if s.Reason == metav1.StatusReasonNotFound {
		return r.String() + ": something it needs does not exist: " + said
	}
	return r.String() + ": the API server answers: " + said
}

// webhookName is the name of a webhook in an answer: a domain.
var webhookName = regexp.MustCompile(`webhook "([a-z0-9.-]{1,253})"`)

// webhook returns the name of the webhook that an answer is about, with a space, or "".
func webhook(s *metav1.Status) string {
	found := webhookName.FindStringSubmatch(s.Message[:min(len(s.Message), scanned)])
	if found == nil {
		return ""
	}
	return found[1] + " "
}

// detail returns the words of an answer without values of the object: the first cause,
// if it lists causes.
func detail(s *metav1.Status) string {
	if _, denied, found := strings.Cut(s.Message[:min(len(s.Message), scanned)], "denied the request: "); found {
		return cutValues(denied, messageCap)
	}
	if s.Details == nil || len(s.Details.Causes) == 0 || s.Details.Causes[0].Message == "" {
		return cutValues(s.Message, messageCap)
	}
	said := cutValues(causeWithoutValue(s.Details.Causes[0].Message), messageCap)
	if more := len(s.Details.Causes) - 1; more > 0 {
		said += ", and " + text.Count(more, "more problem")
	}
	return said
}

// unreachable reports whether the API server gave no answer.
func unreachable(err error) bool {
	if slow, ok := errors.AsType[*late](err); ok {
		return slow.tenant == "" && !slow.known
	}
	var status apierrors.APIStatus
	return err != nil && !errors.As(err, &status) && !is[*unknownKind](err) &&
		(errors.Is(err, context.DeadlineExceeded) || is[net.Error](err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

// is reports whether an error is of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// exhausted reports whether the API server was overloaded or down. More requests of the
// same set would only delay others.
func exhausted(err error) bool {
	return unreachable(err) || apierrors.IsInternalError(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err)
}

package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/text"
)

// messageCap bounds the quoted part of an API server's message, in bytes.
const messageCap = 400

// sentence explains to people why a request about an object failed.
func sentence(r Ref, err error) string {
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		ok = errors.As(err, &status)
	}
	if !ok {
		switch {
		case errors.Is(err, context.Canceled):
			return "cancelled"
		case errors.Is(err, context.DeadlineExceeded):
			return "the API server gave no answer in time"
		case unreachable(err):
			return "the API server cannot be reached: " + text.Line(err.Error(), messageCap)
		}
		return r.String() + ": " + text.Line(err.Error(), messageCap)
	}
	s := status.Status()
	return r.String() + ": " + refusal(r, s)
}

func refusal(r Ref, s metav1.Status) string {
	message := text.Line(s.Message, messageCap)
	if r.Kind == "Secret" {
		message = "its values are not repeated here" // validation quotes refused values
	}
	switch {
	case s.Reason == metav1.StatusReasonInvalid && strings.Contains(s.Message, "immutable"):
		return fmt.Sprintf("%s cannot be changed after creation; delete the object or choose another name (%s)", immutable(s), message)
	case s.Reason == metav1.StatusReasonInvalid, s.Reason == metav1.StatusReasonBadRequest:
		return "the API server finds it invalid: " + message
	case s.Reason == metav1.StatusReasonForbidden && strings.Contains(s.Message, "exceeded quota"):
		return "a resource quota of the namespace is exceeded: " + message
	case s.Reason == metav1.StatusReasonForbidden && strings.Contains(s.Message, "being terminated"):
		return "its namespace is being deleted"
	case s.Reason == metav1.StatusReasonForbidden:
		return "the API server forbids it: " + message
	case s.Reason == metav1.StatusReasonConflict:
		return "it was changed by somebody else at the same moment"
	case s.Reason == metav1.StatusReasonNotFound:
		return "something it needs does not exist: " + message
	case s.Reason == metav1.StatusReasonRequestEntityTooLarge:
		return "it is larger than the API server accepts"
	}
	return "the API server answers: " + message
}

func immutable(s metav1.Status) string {
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			if c.Field != "" && strings.Contains(c.Message, "immutable") {
				return c.Field
			}
		}
	}
	return "a field"
}

// unreachable reports whether the API server gave no answer.
func unreachable(err error) bool {
	var status apierrors.APIStatus
	var unknown *unknownKind
	return err != nil && !errors.As(err, &status) && !errors.As(err, &unknown) &&
		(errors.Is(err, context.DeadlineExceeded) || isNetwork(err))
}

// exhausted reports whether the API server was overloaded or down. More requests of the
// same set would only delay others.
func exhausted(err error) bool {
	return unreachable(err) || apierrors.IsInternalError(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err)
}

func isNetwork(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

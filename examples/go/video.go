// Package video is a client of the gateway to copy: submit, poll, download. Tests replace its two notions of time.
package video

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Client makes videos.
type Client struct {
	URL, Key string
	// Sleep waits; time.Sleep.
	Sleep func(time.Duration)
	// Timeout limits the time of one request; context.WithTimeout.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

const (
	requestTimeout = 30 * time.Second
	patience       = 10 * time.Minute // of all that it waits: a task may never end
)

// refused says that the gateway refused a request. 429 and 5xx may pass; 401 or 404 stay the same.
type refused struct {
	status     int
	retryAfter time.Duration
}

func (r refused) Error() string { return fmt.Sprintf("the gateway returned %d", r.status) }

func (r refused) isTemporary() bool { return r.status == 429 || r.status >= 500 }

// Make returns the bytes of the video.
func (c Client) Make(prompt string) ([]byte, error) {
	waited := time.Duration(0)
	wait := func(delay time.Duration) error {
		if waited += delay; waited > patience {
			return fmt.Errorf("gave up after %s", patience)
		}
		c.Sleep(delay)
		return nil
	}
	// retry waits longer after each failure, and at least as long as Retry-After says.
	retry := func(attempt func() error, mayBeAccepted bool) error {
		for failures := 1; ; failures++ {
			err := attempt()
			var refusal refused
			isRefused := errors.As(err, &refusal)
			// What was lost may stand for a task that you pay for.
			canRetry := isRefused && refusal.isTemporary() || !isRefused && !mayBeAccepted
			if err == nil || failures == 5 || !canRetry {
				return err
			}
			delay := 1250 * time.Millisecond << failures
			if delay < refusal.retryAfter {
				delay = refusal.retryAfter
			}
			if err := wait(delay); err != nil {
				return err
			}
		}
	}

	body, _ := json.Marshal(map[string]any{"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"})
	var task struct {
		ID string `json:"task_id"`
	}
	submit := func() error { return c.json("POST", "/v1/video/generations", string(body), &task) }
	if err := retry(submit, true); err != nil {
		return nil, err
	}
	for {
		if err := wait(5 * time.Second); err != nil {
			return nil, err
		}
		var poll struct {
			Data struct {
				Status string `json:"status"`
				Reason string `json:"fail_reason"`
			} `json:"data"`
		}
		look := func() error { return c.json("GET", "/v1/video/generations/"+task.ID, "", &poll) }
		if err := retry(look, false); err != nil {
			return nil, err
		}
		switch poll.Data.Status {
		case "FAILURE":
			return nil, fmt.Errorf("the video failed: %q", poll.Data.Reason)
		case "SUCCESS":
			var video []byte
			download := func() (err error) { video, err = c.download(task.ID); return }
			err := retry(download, false)
			return video, err
		}
	}
}

// download verifies what arrives: the entity tag is its SHA-256.
func (c Client) download(id string) ([]byte, error) {
	video, header, err := c.send("GET", "/v1/videos/"+id+"/content", "")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(video)
	digest := strings.Trim(header.Get("ETag"), `"`)
	isMP4 := len(video) > 8 && string(video[4:8]) == "ftyp"
	if !isMP4 || digest != "" && digest != hex.EncodeToString(sum[:]) {
		return nil, errors.New("the video arrived damaged")
	}
	return video, nil
}

func (c Client) json(method, path, body string, into any) error {
	bytes, _, err := c.send(method, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, into)
}

func (c Client) send(method, path, body string) ([]byte, http.Header, error) {
	ctx, cancel := c.Timeout(context.Background(), requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, nil, refused{response.StatusCode, retryAfter(response.Header)}
	}
	bytes, err := io.ReadAll(response.Body)
	return bytes, response.Header, err
}

// retryAfter reads a number of seconds, or a date.
func retryAfter(header http.Header) time.Duration {
	after := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(after)
	sent, _ := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return until.Sub(sent)
}

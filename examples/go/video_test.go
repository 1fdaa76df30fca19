package video

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

var server string

// TestMain starts greenroom once, on a free port.
func TestMain(m *testing.M) {
	command := strings.Fields(os.Getenv("GREENROOM"))
	if len(command) == 0 {
		command = []string{"npx", "greenroom"}
	}
	flags := []string{"serve", "--port", "0", "--clock", "auto", "--quality", "fast", "--log", "silent"}
	greenroom := exec.Command(command[0], append(command[1:], flags...)...)
	greenroom.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // npx does not pass a signal on, so all of its group gets it
	out, _ := greenroom.StdoutPipe()
	if err := greenroom.Start(); err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n') // its URL, once it is ready
	server = strings.TrimSpace(line)
	code := m.Run()
	syscall.Kill(-greenroom.Process.Pid, syscall.SIGTERM)
	greenroom.Wait()
	os.Exit(code)
}

// gateway is a namespace, with a clock, tasks and a journal of its own.
type gateway struct{ url string }

func newGateway(t *testing.T) gateway { return gateway{server + "/ns/" + t.Name()} }

func (g gateway) client() Client {
	return Client{URL: g.url, Key: "sk-test", Sleep: g.sleep, Timeout: g.deadline}
}

// sleep stands for time.Sleep.
func (g gateway) sleep(d time.Duration) {
	response := g.post(context.Background(), "clock/sleep", fmt.Sprintf(`{"for":%d}`, d.Milliseconds()))
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

// deadline stands for context.WithTimeout. Canceling it closes its connection, which ends it.
func (g gateway) deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	opened := g.post(ctx, "clock/deadline", fmt.Sprintf(`{"for":%d}`, d.Milliseconds()))
	go func() { io.Copy(io.Discard, opened.Body); cancel() }()
	return ctx, cancel
}

func (g gateway) post(ctx context.Context, call, body string) *http.Response {
	request, _ := http.NewRequestWithContext(ctx, "POST", g.url+"/_greenroom/"+call, strings.NewReader(body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	return response
}

func TestMakesAVideo(t *testing.T) {
	video, err := newGateway(t).client().Make("a red kite [[queued 30s]] [[render 2m]]")
	if err != nil || string(video[4:8]) != "ftyp" {
		t.Fatal(err, len(video))
	}
}

func TestGivesUpAPollThatHangs(t *testing.T) {
	g, start := newGateway(t), time.Now()
	g.post(context.Background(), "next", `{"op":"video.poll","fault":"hang"}`).Body.Close()
	if _, err := g.client().Make("a red kite"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Fatalf("took %s: the poll hung for the whole 30 seconds", took)
	}
}

func TestSaysWhyAVideoFailed(t *testing.T) {
	_, err := newGateway(t).client().Make("a red kite [[fail: content policy]]")
	if err == nil || !strings.Contains(err.Error(), "content policy") {
		t.Fatal(err)
	}
}
